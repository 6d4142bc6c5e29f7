import { ServiceError } from '../../core/errors.ts';
import type { PipelineStep } from '../../core/pipeline.ts';
import { jsonBytes, parseJson } from '../json-body.ts';
import type { Service } from '../service.ts';
import type { NewPipeline, PageRequest, PipelineChanges, Place, Versions } from '../store/pipeline-store.ts';
import { createValidator } from '../validation.ts';
import { changesBody, newBody, pageQuery, step } from './pipeline-schemas.ts';

/** Levels of lists and objects in a configuration; what is deeper cannot be written as JSON again. */
const DEEPEST = 100;

export interface PipelineReaders {
  readNew(body: Buffer): NewPipeline;
  readChanges(body: Buffer): PipelineChanges;
  readPage(query: Readonly<Record<string, unknown>>): Partial<PageRequest>;
}

/** Reads the requests about pipelines. All of it throws `ServiceError` `invalid_parameters`. */
export function createPipelineReaders(
  service: Pick<Service, 'checkStep'>,
  maxSteps: number,
): PipelineReaders {
  const checkNew = createValidator(newBody);
  const checkChanges = createValidator(changesBody);
  const checkStep = createValidator(step);
  const checkPage = createValidator(pageQuery);

  return {
    readNew(body) {
      const { name, description = null, steps } = read(body, checkNew) as unknown as NewPipeline;
      return { name, description, steps };
    },

    readChanges: (body) => read(body, checkChanges),

    readPage(query) {
      const { limit, cursor } = query;
      const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
      checkPage({ ...query, ...(isNumber ? { limit: Number(limit) } : {}) });
      return {
        ...(limit === undefined ? {} : { limit: Number(limit) }),
        ...(cursor === undefined ? {} : { after: readCursor(cursor as string) }),
      };
    },
  };

  function read(bytes: Buffer, check: typeof checkNew): PipelineChanges {
    const body = parseJson(jsonBytes(bytes));
    const problems: string[] = [];
    collect(problems, () => check(body));
    const { name, description, steps } = (body ?? {}) as Readonly<Record<string, unknown>>;
    problems.push(...textProblems('name', name), ...textProblems('description', description));
    const read = Array.isArray(steps) ? readSteps(steps, problems) : undefined;
    if (problems.length > 0) throw invalid(problems);
    return { ...(body as PipelineChanges), ...(read === undefined ? {} : { steps: read }) };
  }

  function readSteps(steps: readonly unknown[], problems: string[]): PipelineStep[] {
    if (steps.length > maxSteps) {
      problems.push(`steps: expected at most ${maxSteps} steps, got ${steps.length}`);
      return [];
    }
    return steps.map((given, index) => readStep(given, `steps[${index}]`, problems));
  }

  function readStep(given: unknown, place: string, problems: string[]): PipelineStep {
    const before = problems.length;
    collect(problems, () => checkStep(given, `${place}.`));
    const { type, chunker, refinery, config = {} } = (given ?? {}) as Partial<PipelineStep>;
    const read = {
      type: type as PipelineStep['type'],
      chunker: type === 'chunk' ? (chunker ?? null) : null,
      refinery: type === 'refine' ? (refinery ?? null) : null,
      config,
    };
    if (problems.length === before) problems.push(...jsonProblems(config, `${place}.config`));
    if (problems.length === before) collect(problems, () => service.checkStep(read, place));
    return read;
  }
}

/** Adds the problems of a check to those of others, so that a caller reads all of them at once. */
function collect(problems: string[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') throw error;
    problems.push(error.detail.replace(/\.$/, ''));
  }
}

function invalid(problems: readonly string[]): ServiceError {
  return new ServiceError('invalid_parameters', { problems: `${problems.join('; ')}.` });
}

/** What one of the databases cannot keep is refused with all of them. */
function textProblems(place: string, text: unknown): string[] {
  if (typeof text !== 'string' || (text.isWellFormed() && !text.includes('\0'))) return [];
  return [`${place}: expected text without NUL and without half a surrogate pair`];
}

/** What cannot be written as the JSON that it was: numbers beyond all bounds, and very deep values. */
function jsonProblems(value: unknown, place: string, depth = 0): string[] {
  if (typeof value === 'number' && !Number.isFinite(value)) return [`${place}: the number is too large`];
  if (typeof value !== 'object' || value === null) return [];
  if (depth === DEEPEST) return [`${place}: expected at most ${DEEPEST} levels of lists and objects`];
  for (const [name, item] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
    const problems = jsonProblems(item, path, depth + 1);
    if (problems.length > 0) return problems;
  }
  return [];
}

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const TAGS = new RegExp(`^\\s*(?:${TAG.source}\\s*(?:,\\s*|$))+$`);

/**
 * The versions of `If-Match`. A weak tag counts as a strong one: proxies that compress weaken tags, and
 * ours stand for the whole pipeline anyway.
 */
export function readIfMatch(header: string | undefined): Versions | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!TAGS.test(header)) {
    const shown = JSON.stringify(header.slice(0, 60));
    throw invalid([`If-Match: expected the ETag of an earlier answer such as "3", or *, got ${shown}`]);
  }
  const tags = [...header.matchAll(TAG)].map(([, tag]) => tag as string);
  return tags.filter((tag) => /^[1-9]\d*$/.test(tag)).map(Number);
}

export function cursorAfter({ created_at, id }: Place): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function readCursor(cursor: string): Place {
  const [, time = '', rest = '', id = ''] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const parsed = new Date(`${time}Z`);
  if (!Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${time}Z`) {
    return { created_at: time + rest, id };
  }
  const shown = JSON.stringify(cursor.slice(0, 60));
  throw invalid([`cursor: expected the x-next-cursor of an earlier answer, got ${shown}`]);
}
