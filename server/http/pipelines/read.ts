import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { PresetUse } from '../../engine/presets/presets.ts';
import { jsonBytes, parseJson } from '../../engine/read/json.ts';
import { type MissingPlugins, stepSchema } from '../../engine/read/pipeline.ts';
import type { Service } from '../../engine/service.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import type {
  NewPipeline,
  PagePosition,
  PageRequest,
  PipelineChanges,
  Versions,
} from '../../store/contract.ts';
import { checkQuery, type Query, readCursor, toCursor } from '../transport/pages.ts';
import { changesBody, nameQuery, newBody, pageQuery } from './schemas.ts';

/** Maximum nesting of lists and objects in a configuration: very deep values cannot be written as JSON again. */
const DEEPEST = 100;

/** What is needed to check steps. */
export interface StepRules {
  readonly service: Pick<Service, 'checkStep' | 'presets'>;
  readonly maxSteps: number;
}

const checkNew = createValidator(newBody);
const checkChanges = createValidator(changesBody);
const checkShape = createValidator(stepSchema);
const checkNameQuery = createValidator(nameQuery);

/**
 * Reads the request that creates a pipeline.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export function readNew(body: Buffer, rules: StepRules): NewPipeline {
  const { name, description = null, steps } = read(body, checkNew, rules, true) as unknown as NewPipeline;
  return { name, description, steps };
}

/**
 * Reads the request that changes a pipeline.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export function readChanges(body: Buffer, rules: StepRules): PipelineChanges {
  return read(body, checkChanges, rules);
}

/**
 * Reads the request that creates the pipeline with a given name or sets all its members.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export function readWhole(body: Buffer, query: unknown, rules: StepRules): NewPipeline {
  const problems: string[] = [];
  collect(problems, () => checkNameQuery(query, 'query.'));
  const { name } = query as { readonly name?: unknown };
  problems.push(...textProblems('query.name', name));
  const given = collect(problems, () => read(body, checkChanges, rules, true));
  if (given?.name !== undefined && given.name !== name && problems.length === 0) {
    const [wanted, got] = [name, given.name].map((one) => JSON.stringify(one));
    problems.push(`name: expected the name in the query, ${wanted}, or none, got ${got}`);
  }
  if (problems.length > 0) throw invalid(problems);
  const { description = null, steps = [] } = given as PipelineChanges;
  return { name: name as string, description, steps };
}

/** @param isWhole whether the pipeline must have steps */
function read(bytes: Buffer, check: Validate, rules: StepRules, isWhole = false): PipelineChanges {
  const body = parseJson(jsonBytes(bytes));
  const problems: string[] = [];
  collect(problems, () => check(body));
  const { allow_missing, preset, override, ...members } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { name, description } = members;
  problems.push(...textProblems('name', name), ...textProblems('description', description));
  const mayLack = allow_missing === true;
  const named = { preset, override } as PresetUse;
  const expand = () => rules.service.presets.stepsOf(named, '', mayLack);
  const steps = (problems.length === 0 ? collect(problems, expand) : undefined) ?? members.steps;
  if (isWhole && isObject(body) && (steps ?? preset) === undefined)
    problems.push('steps: missing, expected steps, or the name of a preset');
  const given = { ...rules, missing: mayLack ? 'allowed' : 'optional' } as const;
  const read = Array.isArray(steps) ? readSteps(steps, given, problems) : undefined;
  if (problems.length > 0) throw invalid(problems);
  return { ...(members as PipelineChanges), ...(read === undefined ? {} : { steps: read }) };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export interface GivenRules extends StepRules {
  readonly missing: MissingPlugins;
}

/** Reads steps, and adds to the problems. */
export function readSteps(steps: readonly unknown[], rules: GivenRules, problems: string[]): PipelineStep[] {
  if (steps.length <= rules.maxSteps) {
    return steps.map((given, index) => readStep(given, `steps[${index}]`, rules, problems));
  }
  problems.push(`steps: expected at most ${rules.maxSteps} steps, got ${steps.length}`);
  return [];
}

function readStep(given: unknown, place: string, rules: GivenRules, problems: string[]): PipelineStep {
  const before = problems.length;
  collect(problems, () => checkShape(given, `${place}.`));
  const { type, chunker, refinery, config = {} } = (given ?? {}) as Partial<PipelineStep>;
  const read = {
    type: type as PipelineStep['type'],
    chunker: type === 'chunk' ? (chunker ?? null) : null,
    refinery: type === 'refine' ? (refinery ?? null) : null,
    config,
  };
  if (problems.length === before) problems.push(...jsonProblems(config, `${place}.config`));
  if (problems.length > before) return read;
  return collect(problems, () => rules.service.checkStep(read, place, rules.missing)) ?? read;
}

/**
 * Adds the problems of a check to those of other checks, so that a caller sees all of them at once.
 *
 * @returns the result of the check, if it finds none
 */
export function collect<T>(problems: string[], check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** Refuses, for every database, what one of the supported databases cannot store. */
export function textProblems(place: string, text: unknown): string[] {
  if (typeof text !== 'string' || (text.isWellFormed() && !text.includes('\0'))) return [];
  return [`${place}: expected text without NUL and without lone surrogates`];
}

/** Refuses values that JSON cannot reproduce: numbers out of range, and very deep nesting. */
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

/** Parameters of pipeline requests outside their bodies: pages and versions. */

const checkPage = createValidator(pageQuery);

/**
 * Reads the query of the list of pipelines.
 *
 * @throws ServiceError `invalid_parameters`
 */
export function readPage(query: Query): Partial<PageRequest> {
  const { limit, cursor, name } = checkQuery<{ limit?: number; cursor?: string; name?: string }>(
    query,
    checkPage,
  );
  const problems = textProblems('name', name);
  if (problems.length > 0) throw invalid(problems);
  return {
    ...(name === undefined ? {} : { name }),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { after: readCursor(cursor, readPosition) }),
  };
}

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const TAGS = new RegExp(`^\\s*(?:${TAG.source}\\s*(?:,\\s*|$))+$`);

/**
 * Reads the versions in `If-Match`; `undefined` without the header. A weak tag counts as a strong one: compressing
 * proxies weaken tags, and ours identify the whole pipeline anyway.
 *
 * @throws ServiceError `invalid_parameters`
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

/** The cursor of the page after a pipeline. */
export function cursorAfter({ created_at, id }: PagePosition): string {
  return toCursor(`${created_at} ${id}`);
}

const POSITION =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function readPosition(text: string): PagePosition | undefined {
  const [, time = '', rest = '', id = ''] = POSITION.exec(text) ?? [];
  const parsed = new Date(`${time}Z`);
  const isTime = !Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${time}Z`;
  return isTime ? { created_at: time + rest, id } : undefined;
}
