import { createHash } from 'node:crypto';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import type { FieldMapping } from '../../corpus/shard.ts';
import { checkCallbackUrl } from '../../jobs/callback-url.ts';
import type { JobSource, JobSpec, JobTarget } from '../../jobs/spec.ts';
import { canonicalJson } from '../../service/canonical-json.ts';
import { checkList, type ParsedDocument } from '../../service/documents.ts';
import type { RequestSchemas } from '../../service/request-schemas.ts';
import type { Service } from '../../service/service.ts';
import { elementLines } from '../../service/split-batch.ts';
import type { PipelineStep, PipelineStore } from '../../store/contract.ts';
import { createValidator, type Validate } from '../../validation/validator.ts';
import { jsonBytes, parseJson } from '../../wire/json-body.ts';
import { findMembers, type JsonPlace } from '../../wire/json-places.ts';
import { findPipeline } from '../pipelines/named.ts';
import { collect, readSteps, textProblems } from '../pipelines/requests.ts';
import { fieldsBody, jobBody, sourceBody, targetBody } from './request-schemas.ts';

/** A request for a job that was read and checked. */
export interface JobRequest {
  readonly spec: JobSpec;
  /** JSON Lines of the documents that came along, each with the bytes that it had. */
  readonly upload: string | null;
  readonly maxErrors: number | null;
  /** The same for requests that ask for the same. */
  readonly digest: string;
}

/** What requests are held against. */
export interface JobRules {
  readonly config: Config;
  readonly registry: Registry;
  readonly requestSchemas: RequestSchemas;
  readonly service: Pick<Service, 'checkStep' | 'readStreamPlan'>;
  readonly store: PipelineStore;
}

/**
 * Reads a request for a job.
 *
 * @param id the job's, which names its folder if the request names none
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters` with all problems,
 *   `unknown_plugin`, `missing_capability`, `store_unavailable`
 */
export type ReadJob = (bytes: Buffer, id: string) => Promise<JobRequest>;

/** A body as it was parsed, once its shape is right. */
interface Members extends Readonly<Record<string, unknown>> {
  readonly source: JobSource & { readonly documents?: readonly ParsedDocument[] };
  readonly pipeline?: string;
  readonly steps?: readonly unknown[];
  readonly include: readonly string[];
  readonly namespace: string;
  readonly group: JobSpec['group'];
  readonly target?: Target;
  readonly max_errors: number | null;
  readonly callback?: string;
}

interface Target {
  readonly path?: string;
  readonly sink?: { readonly name: string } & Readonly<Record<string, unknown>>;
}

export function jobReader(rules: JobRules): ReadJob {
  const checkShape = shapeCheck(rules);
  const checkSink = sinkCheck(rules);
  return async (bytes, id) => {
    const body = jsonBytes(bytes);
    const given = parseJson(body);
    checkShape(given);
    const members = given as Members;
    const problems: string[] = [];
    collect(problems, () => checkList(members.source.documents ?? [], rules.config));
    const steps = await stepsOf(members, rules, problems);
    problems.push(...callbackProblems(members, rules.config));
    const sink = collect(problems, () => checkSink(members));
    const target = targetOf(members, sink, id, rules.config, problems);
    if (problems.length > 0) throw invalid(problems);
    const spec = specOf(members, steps, target);
    rules.service.readStreamPlan(spec.task, Buffer.from(JSON.stringify(spec.options)));
    const upload = uploadOf(members, body);
    return { spec, upload, maxErrors: members.max_errors, digest: digestOf(members, upload) };
  };
}

/** Checks types and names of all members; lists that may be long by themselves, so that few problems are made of them. */
function shapeCheck({ config }: JobRules): (given: unknown) => void {
  const checkBody = createValidator(opened(jobBody(config.idNamespace), ['source', 'target']));
  const checkSource = createValidator(opened(sourceBody, ['fields']));
  const checkFields = createValidator(fieldsBody);
  const checkTarget = createValidator(targetBody);
  return (given) => {
    const problems: string[] = [];
    const part = (value: unknown, check: Validate, place: string) => {
      if (typeof value === 'object' && value !== null) collect(problems, () => check(value, place));
    };
    collect(problems, () => checkBody(given));
    const { source, target, pipeline, steps } = (given ?? {}) as Partial<Members>;
    part(source, checkSource, 'source.');
    part(source?.fields, checkFields, 'source.fields.');
    part(target, checkTarget, 'target.');
    problems.push(...missingProblems(source, pipeline ?? steps));
    if (problems.length > 0) throw invalid([...new Set(problems)]);
  };
}

function missingProblems(source: Members['source'] | undefined, work: unknown): string[] {
  const problems = textProblems('source.path', source?.path);
  if (typeof source === 'object' && source !== null) {
    if (source.path === undefined && source.documents === undefined)
      problems.push('source: expected a path, or documents');
  }
  if (work === undefined) problems.push('steps: missing, expected steps, or the name of a pipeline');
  return problems;
}

/** The schema with members that may be any object, because they are checked by themselves. */
function opened(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const any = { type: 'object', additionalProperties: true };
  const members = Object.fromEntries(names.map((name) => [name, any]));
  return { ...schema, properties: { ...schema.properties, ...members } };
}

function callbackProblems({ callback }: Members, { bulkCallbackPrivate }: Config): string[] {
  const problem = callback === undefined ? undefined : checkCallbackUrl(callback, bulkCallbackPrivate);
  return problem === undefined ? [] : [`callback: ${problem}`];
}

async function stepsOf(
  { pipeline, steps }: Members,
  { service, store, config }: JobRules,
  problems: string[],
): Promise<readonly PipelineStep[]> {
  // What is missing is found when the steps are planned, which suggests no way to store them all the same.
  const rules = { service, maxSteps: config.maxSteps, allowMissing: true };
  if (steps !== undefined) return readSteps(steps, rules, problems);
  const found = await findPipeline(pipeline as string, store);
  if (found !== undefined) return found.steps;
  problems.push(
    `pipeline: there is no pipeline ${JSON.stringify(pipeline)}; GET /v1/pipelines lists the ones there are`,
  );
  return [];
}

type Sink = NonNullable<JobTarget['sink']>;

/** Checks the options of a sink by its manifest. */
function sinkCheck({ registry, requestSchemas }: JobRules): (members: Members) => Sink | undefined {
  const checks = new Map<string, Validate>();
  return ({ target, include }) => {
    if (target?.sink === undefined) return undefined;
    const { name, ...options } = target.sink;
    const { manifest } = registry.require('sink', name);
    const check = checks.get(name) ?? createValidator(requestSchemas.step(manifest));
    checks.set(name, check);
    const problems = include.includes('id') ? [] : ['include: expected id among them, which the sink needs'];
    const checked = collect(problems, () => check(options, 'target.sink.'));
    if (problems.length > 0) throw invalid(problems);
    return { name, options: checked ?? {} };
  };
}

function targetOf(
  { target }: Members,
  sink: Sink | undefined,
  id: string,
  { bulkRoot }: Config,
  problems: string[],
): JobTarget {
  const path = target?.path ?? `chunksmith-jobs/${id}`;
  problems.push(...textProblems('target.path', path));
  if (target?.path === undefined && bulkRoot === '') {
    problems.push('target.path: missing; this server has no root, so name a folder of a connection');
  }
  return { path, ...(sink !== undefined && { sink }) };
}

function specOf(members: Members, steps: readonly PipelineStep[], target: JobTarget): JobSpec {
  const { source, include, namespace, group, callback } = members;
  return {
    source: source.documents === undefined ? sourceOf(source) : { format: 'jsonl' },
    task: { run: 'execute', steps },
    options: { include, namespace },
    group,
    target,
    ...(callback !== undefined && { callback }),
  };
}

function sourceOf({ path, format, fields }: Members['source']): JobSource {
  return {
    ...(path !== undefined && { path }),
    format,
    ...(fields !== undefined && { fields: fields as FieldMapping }),
  };
}

function uploadOf({ source }: Members, body: Buffer): string | null {
  if (source.documents === undefined) return null;
  const [given] = findMembers(body, 0, ['source']) as readonly [JsonPlace];
  const [documents] = findMembers(body, given.from, ['documents']) as readonly [JsonPlace];
  return elementLines(body, documents)
    .map((line) => `${Buffer.from(line.buffer, line.byteOffset, line.length)}\n`)
    .join('');
}

function digestOf({ source, ...members }: Members, upload: string | null): string {
  const { documents: _, ...from } = source;
  return createHash('sha256')
    .update(canonicalJson({ ...members, source: from }))
    .update(upload ?? '')
    .digest('hex');
}

function invalid(problems: readonly string[]): ServiceError {
  return new ServiceError('invalid_parameters', { problems });
}
