import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import type { Described } from '../../engine/answer/schemas.ts';
import { type PresetUse, placeOfOptions } from '../../engine/presets/presets.ts';
import { checkList, type ParsedDocument } from '../../engine/read/documents.ts';
import {
  canonicalJson,
  findElements,
  findMembers,
  type JsonRange,
  jsonBytes,
  parseJson,
  withoutBreaks,
} from '../../engine/read/json.ts';
import { namedIn } from '../../engine/stages/stages.ts';
import { Refusals } from '../../engine/validation/refusals.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import { findPipeline } from '../../http/evaluate/named-pipelines.ts';
import { readSteps, textProblems } from '../../http/pipelines/read.ts';
import type { Services } from '../../http/transport/services.ts';
import type { NewJob } from '../../store/jobs/contract.ts';
import { checkCallbackUrl } from '../jobs/callback.ts';
import type { JobSource, JobSpec, JobTarget } from '../jobs/spec.ts';
import { fieldMapping, OUTPUT } from '../shard.ts';
import { jobBody, sourceBody, targetBody } from './request-schemas.ts';

/** A parsed and checked request for a job. Equivalent requests have the same digest. */
type JobRequest = Pick<NewJob, 'upload' | 'maxErrors' | 'digest'> & { readonly spec: JobSpec };

/**
 * Creates a function that reads job requests. Its `id` names the job's folder if the request does not.
 *
 * @returns a function that throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`,
 * `invalid_parameters` with all problems, `unknown_plugin`, `missing_capability` or `store_unavailable`
 */
export function jobReader(rules: Services) {
  const checkShape = shapeCheck(rules.config.idNamespace);
  const checkSink = sinkCheck(rules);
  return async (bytes: Buffer, id: string): Promise<JobRequest> => {
    const body = jsonBytes(bytes);
    const given = parseJson(body);
    // With many documents, each of these steps takes long. `nextTurn` lets other requests run in between.
    await nextTurn();
    const refusals = new Refusals();
    const { problems } = refusals;
    refusals.collect(() => checkShape(given));
    await nextTurn();
    const members = wellShaped(given, problems);
    refusals.collect(() => checkDocuments(members, body, rules.config));
    const steps = await stepsOf(members, rules, refusals);
    problems.push(...callbackProblems(members, rules.config), ...pruneProblems(members));
    const sink = checkSink(members, refusals);
    const target = targetOf(members, sink, id, rules.config, problems);
    const spec = specOf(members, steps ?? [], target);
    if (steps !== undefined) refusals.collect(() => checkPlan(spec, members, rules, refusals));
    await rules.service.refuse(refusals);
    const upload = uploadOf(members, body);
    await nextTurn();
    const digest = digestOf(members, upload);
    return { spec, upload: upload?.toString() ?? null, maxErrors: members.max_errors, digest };
  };
}

/** Checks the steps together. Notes all names that the steps use, including default names. */
function checkPlan(
  { task, options }: JobSpec,
  use: PresetUse,
  { service }: Services,
  refusals: Refusals,
): void {
  const { stages, uses, pipeline = [] } = service.readStreamPlan(task, Buffer.from(JSON.stringify(options)));
  for (const [index, named] of namedIn(stages, uses).entries())
    refusals.note({ ...named, place: placeOfOptions(pipeline[index] as PipelineStep, index, use) });
}

/**
 * Returns the members whose shape is valid, so that problems within these members are found too. The sink in
 * `target` is checked separately.
 *
 * @throws ServiceError `invalid_parameters` with the problems if there are no members
 */
function wellShaped(given: unknown, problems: readonly string[]): JobMembers {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(problems);
  const wrong = new Set(problems.map((problem) => /^\w+/.exec(problem)?.[0] ?? ''));
  const right = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
  const { sink } = (given as Partial<JobMembers>).target ?? {};
  const target = typeof sink?.name === 'string' && { target: { sink } };
  return { ...WITHOUT_SHAPE, ...target, ...right };
}

const WITHOUT_SHAPE: JobMembers = {
  source: { format: 'files' },
  include: ['id'],
  namespace: '',
  group: 'chunk',
  max_errors: null,
};

function callbackProblems({ callback }: JobMembers, config: Config): string[] {
  if (callback === undefined) return [];
  const { bulkCallbackPrivate, bulkCallbackSecret } = config;
  const isSigned = bulkCallbackSecret !== '';
  const problem = isSigned ? checkCallbackUrl(callback, bulkCallbackPrivate) : UNSIGNED;
  return problem === undefined ? [] : [`callback: ${problem}`];
}

function pruneProblems({ prune, target, source }: JobMembers): string[] {
  if (prune !== true) return [];
  if (target?.sink === undefined)
    return ['prune: has no effect without target.sink; add a sink, or remove prune'];
  return source.path === undefined
    ? ['prune: documents in a request have no earlier job; use source.path, or remove prune']
    : [];
}

const UNSIGNED = 'this server has no secret to sign callbacks with; set the variable BULK_CALLBACK_SECRET';

/** @returns undefined if the steps are invalid or missing */
async function stepsOf(
  { pipeline, steps, preset, override }: JobMembers,
  { service, store }: Services,
  refusals: Refusals,
): Promise<readonly PipelineStep[] | undefined> {
  const { problems } = refusals;
  const before = problems.length;
  const rules = { service, missing: 'refused' } as const;
  const expanded = refusals.collect(() => service.presets.stepsOf({ preset, override }));
  if (expanded !== undefined) return expanded;
  const read = steps === undefined ? undefined : readSteps(steps, rules, refusals);
  if (read !== undefined || pipeline === undefined) return problems.length > before ? undefined : read;
  const found = await findPipeline(pipeline, store);
  if (found !== undefined) return found.steps;
  problems.push(
    `pipeline: unknown pipeline ${JSON.stringify(pipeline)}; GET /v1/pipelines lists all pipelines`,
  );
  return undefined;
}

type Sink = NonNullable<JobTarget['sink']>;

function sinkCheck({ registry, requestSchemas }: Services) {
  const checks = new Map<string, Validate>();
  return ({ target, include, group }: JobMembers, refusals: Refusals): Sink | undefined => {
    if (target?.sink === undefined) return undefined;
    const { name, ...options } = target.sink;
    const { problems } = refusals;
    const manifest = manifestOf(name, registry, problems);
    if (manifest === undefined) return undefined;
    const check = checks.get(name) ?? createValidator(requestSchemas.step(manifest));
    checks.set(name, check);
    if (!include.includes('id')) problems.push('include: must contain id, which the sink needs');
    if (group === 'document') problems.push('group: a sink stores single chunks; remove it');
    const checked = refusals.collect(() => check(options, 'target.sink.'));
    return { name, options: checked ?? {} };
  };
}

function manifestOf(name: string, registry: Registry, problems: string[]): Manifest | undefined {
  try {
    return registry.require('sink', name).manifest;
  } catch (error) {
    const isUnknown = error instanceof ServiceError && error.code === 'unknown_plugin';
    if (!isUnknown && problems.length === 0) throw error;
    if (isUnknown) problems.push(`target.sink.name: ${error.detail.replace(/\.$/, '')}`);
    return undefined;
  }
}

function targetOf(
  { target, group }: JobMembers,
  sink: Sink | undefined,
  id: string,
  { bulkRoot }: Config,
  problems: string[],
): JobTarget {
  const path = target?.path ?? `${OUTPUT}/${id}`;
  problems.push(...textProblems('target.path', path));
  if (target?.path === undefined && bulkRoot === '') {
    problems.push('target.path: missing; this server has no root, so name a folder in a connection');
  }
  if (target?.format !== 'parquet') return { path, ...(sink !== undefined && { sink }) };
  if (group === 'document') problems.push('target.format: each Parquet row is a chunk; remove group');
  if (target.sink !== undefined)
    problems.push('target.format: a sink has no part files; remove one of the two');
  return { path, format: 'parquet' };
}

function specOf(members: JobMembers, steps: readonly PipelineStep[], target: JobTarget): JobSpec {
  const { include, namespace, group, prune, callback } = members;
  const { documents, ...from } = members.source;
  return {
    source: documents === undefined ? from : { format: 'jsonl' },
    task: { run: 'execute', steps },
    options: { include, namespace },
    group,
    target,
    ...(prune === true && { prune }),
    ...(callback !== undefined && { callback }),
  };
}

function checkDocuments({ source: { documents } }: JobMembers, body: Buffer, config: Config): void {
  if (documents === undefined) return;
  try {
    checkList(documents, { body, at: documentsIn(body).from }, config);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') throw error;
    throw invalid(
      error.problems.map((problem) => problem.replaceAll(/\bdocuments(?=[[:])/g, 'source.documents')),
    );
  }
}

function uploadOf({ source }: JobMembers, body: Buffer): Buffer | null {
  if (source.documents === undefined) return null;
  const places = findElements(body, documentsIn(body).from);
  return Buffer.concat(places.flatMap(({ from, to }) => [withoutBreaks(body.subarray(from, to)), LINE_FEED]));
}

function documentsIn(body: Buffer): JsonRange {
  const [source] = findMembers(body, 0, ['source']) as readonly [JsonRange];
  const [documents] = findMembers(body, source.from, ['documents']) as readonly [JsonRange];
  return documents;
}

const LINE_FEED = Buffer.from('\n');

function digestOf({ source, ...members }: JobMembers, upload: Buffer | null): string {
  const { documents: _, ...from } = source;
  return createHash('sha256')
    .update(canonicalJson({ ...members, source: from }))
    .update(upload ?? '')
    .digest('hex');
}

interface JobMembers extends Readonly<Record<string, unknown>>, PresetUse {
  readonly source: JobSource & { readonly documents?: readonly ParsedDocument[] };
  readonly pipeline?: string;
  readonly steps?: readonly unknown[];
  readonly include: readonly string[];
  readonly namespace: string;
  readonly group: JobSpec['group'];
  readonly target?: Partial<Described<typeof targetBody>>;
  readonly prune?: boolean;
  readonly max_errors: number | null;
  readonly callback?: string;
}

/**
 * Creates a check of the names and types of all members. Members with long lists are checked separately,
 * because for a top-level list only the first bad item is reported.
 *
 * @param namespace default for the ids of chunks
 * @returns a function that throws ServiceError `invalid_parameters` with all problems
 */
function shapeCheck(namespace: string): (given: unknown) => void {
  const checkBody = createValidator(opened(jobBody(namespace), ['source', 'target']));
  const checkSource = createValidator(opened(sourceBody, ['fields']));
  const checkFields = createValidator(fieldMapping);
  const checkTarget = createValidator(targetBody);
  return (given) => {
    const refusals = new Refusals();
    const { problems } = refusals;
    const part = (value: unknown, check: Validate, place: string) => {
      if (typeof value === 'object' && value !== null) refusals.collect(() => check(value, place));
    };
    refusals.collect(() => checkBody(given));
    const { source, target, pipeline, steps, preset } = (given ?? {}) as Partial<JobMembers>;
    part(source, checkSource, 'source.');
    part(source?.fields, checkFields, 'source.fields.');
    part(target, checkTarget, 'target.');
    problems.push(...missingProblems(source, pipeline ?? steps ?? preset));
    if (problems.length > 0) throw invalid([...new Set(problems)]);
  };
}

function missingProblems(source: JobMembers['source'] | undefined, work: unknown): string[] {
  const problems = textProblems('source.path', source?.path);
  if (typeof source === 'object' && source !== null) {
    if (source.path === undefined && source.documents === undefined)
      problems.push('source: expected a path, or documents');
  }
  if (work === undefined)
    problems.push('steps: missing, expected steps, or the name of a pipeline or preset');
  return problems;
}

/** Returns a schema that accepts any object for these members, because they are checked separately. */
function opened(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const any = { type: 'object', additionalProperties: true };
  const members = Object.fromEntries(names.map((name) => [name, any]));
  return { ...schema, properties: { ...schema.properties, ...members } };
}
