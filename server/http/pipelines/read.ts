import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid } from '../../../core/errors.ts';
import { MAX_STEPS } from '../../engine/limits.ts';
import { type PresetUse, placeOfOptions } from '../../engine/presets/presets.ts';
import { jsonBytes, parseJson } from '../../engine/read/json.ts';
import { type MissingPlugins, stepSchema } from '../../engine/read/pipeline.ts';
import type { Service } from '../../engine/service.ts';
import { Refusals } from '../../engine/validation/refusals.ts';
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

/** Maximum nesting of lists and objects in a configuration. Writing much deeper values as JSON would fail. */
const MAX_DEPTH = 100;

type StepChecks = Pick<Service, 'checkStep' | 'presets' | 'refuse'>;

const checkNew = createValidator(newBody);
const checkChanges = createValidator(changesBody);
const checkShape = createValidator(stepSchema);
const checkNameQuery = createValidator(nameQuery);

/**
 * Reads the request that creates a pipeline.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export async function readNew(body: Buffer, service: StepChecks): Promise<NewPipeline> {
  const refusals = new Refusals();
  const given = read(body, checkNew, service, refusals, true);
  await service.refuse(refusals);
  const { name, description = null, steps } = given as unknown as NewPipeline;
  return { name, description, steps };
}

/**
 * Reads the request that changes a pipeline.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export async function readChanges(body: Buffer, service: StepChecks): Promise<PipelineChanges> {
  const refusals = new Refusals();
  const changes = read(body, checkChanges, service, refusals);
  await service.refuse(refusals);
  return changes;
}

/**
 * Reads the request that creates a pipeline by name, or replaces all members of an existing pipeline.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems
 */
export async function readWhole(body: Buffer, query: unknown, service: StepChecks): Promise<NewPipeline> {
  const refusals = new Refusals();
  refusals.collect(() => checkNameQuery(query, 'query.'));
  const { name } = query as { readonly name?: unknown };
  refusals.problems.push(...textProblems('query.name', name));
  const given = read(body, checkChanges, service, refusals, true);
  if (typeof name === 'string' && typeof given.name === 'string' && given.name !== name) {
    const [wanted, got] = [name, given.name].map((one) => JSON.stringify(one));
    refusals.problems.push(`name: expected the name in the query, ${wanted}, or none, got ${got}`);
  }
  await service.refuse(refusals);
  const { description = null, steps = [] } = given;
  return { name: name as string, description, steps };
}

function read(
  bytes: Buffer,
  check: Validate,
  service: StepChecks,
  refusals: Refusals,
  isWhole = false,
): PipelineChanges {
  const body = parseJson(jsonBytes(bytes));
  const { problems } = refusals;
  refusals.collect(() => check(body));
  const { allow_missing, preset, override, ...members } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { name, description } = members;
  problems.push(...textProblems('name', name), ...textProblems('description', description));
  const mayLack = allow_missing === true;
  const named = { preset, override } as PresetUse;
  const expand = () => service.presets.stepsOf(named, '', mayLack);
  const isShaped = typeof (preset ?? '') === 'string' && (override === undefined || areOptions(override));
  const steps = (isShaped ? refusals.collect(expand) : undefined) ?? members.steps;
  if (isWhole && isObject(body) && (steps ?? preset) === undefined)
    problems.push('steps: missing, expected steps, or the name of a preset');
  const use = isShaped ? named : {};
  const given = { service, missing: mayLack ? 'allowed' : 'optional', use } as const;
  const read = Array.isArray(steps) ? readSteps(steps, given, refusals) : undefined;
  return { ...(members as PipelineChanges), ...(read === undefined ? {} : { steps: read }) };
}

const areOptions = (override: unknown) =>
  isObject(override) && Object.values(override as object).every((one) => one === null || isObject(one));

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

export interface GivenRules {
  readonly service: StepChecks;
  readonly missing: MissingPlugins;
  readonly use?: PresetUse;
}

export function readSteps(steps: readonly unknown[], rules: GivenRules, refusals: Refusals): PipelineStep[] {
  if (steps.length <= MAX_STEPS) {
    return steps.map((given, index) => readStep(given, index, rules, refusals));
  }
  refusals.problems.push(`steps: expected at most ${MAX_STEPS} steps, got ${steps.length}`);
  return [];
}

function readStep(given: unknown, index: number, rules: GivenRules, refusals: Refusals): PipelineStep {
  const { problems } = refusals;
  const place = `steps[${index}]`;
  const before = problems.length;
  refusals.collect(() => checkShape(given, `${place}.`));
  const { type, chunker, refinery, config = {} } = (given ?? {}) as Partial<PipelineStep>;
  const read = {
    type: type as PipelineStep['type'],
    chunker: type === 'chunk' ? (chunker ?? null) : null,
    refinery: type === 'refine' ? (refinery ?? null) : null,
    config,
  };
  if (problems.length === before) problems.push(...jsonProblems(config, `${place}.config`));
  if (problems.length > before) return read;
  const options = placeOfOptions(read, index, rules.use ?? {});
  return rules.service.checkStep(read, { place, options, missing: rules.missing }, refusals);
}

/** Problems of a text that one of the supported databases cannot store. */
export function textProblems(place: string, text: unknown): string[] {
  if (typeof text !== 'string' || (text.isWellFormed() && !text.includes('\0'))) return [];
  return [`${place}: expected text without NUL and without lone surrogates`];
}

/** Problems of a value that cannot be stored as JSON: numbers out of range, and very deep nesting. */
function jsonProblems(value: unknown, place: string, depth = 0): string[] {
  if (typeof value === 'number' && !Number.isFinite(value)) return [`${place}: the number is too large`];
  if (typeof value !== 'object' || value === null) return [];
  if (depth === MAX_DEPTH) return [`${place}: expected at most ${MAX_DEPTH} levels of lists and objects`];
  for (const [name, item] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
    const problems = jsonProblems(item, path, depth + 1);
    if (problems.length > 0) return problems;
  }
  return [];
}

const checkPage = createValidator(pageQuery);

/** Reads the query of the list of pipelines. @throws ServiceError `invalid_parameters` */
export function readPage(query: Query): PageRequest {
  const { limit, cursor, name } = checkQuery<{ limit: number; cursor?: string; name?: string }>(
    query,
    checkPage,
  );
  const problems = textProblems('name', name);
  if (problems.length > 0) throw invalid(problems);
  return {
    limit,
    ...(name === undefined ? {} : { name }),
    ...(cursor === undefined ? {} : { after: readCursor(cursor, readPosition) }),
  };
}

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const TAGS = new RegExp(`^\\s*(?:${TAG.source}\\s*(?:,\\s*|$))+$`);

/**
 * Reads the versions in `If-Match`; `undefined` without the header. Weak tags count as strong, because
 * proxies that compress answers make tags weak.
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
