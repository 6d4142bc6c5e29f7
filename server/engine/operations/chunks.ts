import type { Chunk, OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { checkChunks, inputsOverLimits, type Limits } from '../limits.ts';
import type { Operation, Rules } from '../operation.ts';
import { type PresetUse, placeOfOptions } from '../presets/presets.ts';
import type { Included, Source } from '../read/document-schemas.ts';
import { type ParsedDocument, readChunks, readDocuments, readTexts } from '../read/documents.ts';
import { fieldValues } from '../read/file-form.ts';
import { findElements, findMembers, type JsonRange, jsonBytes, parseJson } from '../read/json.ts';
import { checkOrder, pluginOf } from '../read/pipeline.ts';
import type { Plan, StreamPlan } from '../read/plan.ts';
import { allStages, isListOfLists, type Members, withoutInputs } from '../read/request-checks.ts';
import { namedIn, type StageList, type StageRequest, unitOf, usesOf } from '../stages/stages.ts';
import type {
  ChunksTask,
  ChunkTask,
  DocumentsTask,
  ExecuteTask,
  Fields,
  RefineTask,
  Unread,
} from '../tasks.ts';
import { type Refusals, withAllProblems } from '../validation/refusals.ts';
import { runRequest, type StagesRequest } from './run-request.ts';

/** Work that produces chunks: its inputs come in the request, in the lines of a stream, or in a file. */
export interface ChunksOperation<T extends ChunksTask = ChunksTask> extends Operation<T, StagesRequest> {
  /**
   * The plan for each input of a request.
   *
   * @param options the request without its inputs, not yet checked
   * @param source location of the inputs, which determines defaults; by default, the member found in `options`
   * @throws ServiceError `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  plan(task: T, options: unknown, rules: Rules, source?: Source): Plan;
  /** What a line of a stream contains. */
  readonly takes: StreamPlan['takes'];
}

export interface DocumentsOperation<T extends DocumentsTask = DocumentsTask> extends ChunksOperation<T> {
  /** The plan for the fields that a request sends with a file. @throws as `plan` */
  planOf(task: T, fields: Fields, rules: Rules): Plan;
  fieldNames(task: T, rules: Rules): readonly string[];
}

/** What chunking and the execution of a pipeline define for themselves; `documentsOperation` has the rest. */
interface DocumentsKind<T> {
  plugins(task: T, registry: Registry): readonly (PluginEntry | undefined)[];
  label(task: T): string;
  check(task: T, request: unknown, rules: Rules, source?: Source): Members;
  /** The schema of a request without the documents. */
  schema(task: T, rules: Rules): ObjectSchema;
  stages(task: T, options: Members, rules: Rules): Pick<Plan, 'stages' | 'pipeline'>;
}

export const chunkOperation = documentsOperation<ChunkTask>({
  plugins: ({ name }, registry) => [registry.find('chunker', name)],
  label: ({ name }) => name,
  check: ({ name }, request, { checks }, source) => checks.chunk(name, request, source),
  schema: ({ name }, { registry, schemas }) =>
    schemas.chunk(registry.require('chunker', name).manifest, 'apart'),
  stages: ({ name }, options) => ({ stages: [{ kind: 'chunker', name, options }] }),
});

export const executeOperation = documentsOperation<ExecuteTask>({
  plugins: ({ steps }, registry) => steps.map((step) => pluginOf(registry, step).entry),
  label: () => 'pipeline',
  check: ({ preset }, request, { checks }, source) => checks.execute(request, preset, source),
  schema: ({ preset }, { schemas }) => schemas.execute('apart', preset),
  stages({ steps: own, preset }, { override, offset_unit }, { checks, presets }) {
    const use = { preset, override } as PresetUse;
    const steps = presets.stepsOf(use) ?? own;
    checkOrder(steps);
    const stages = allStages(steps, (step, index) => {
      const place = placeOfOptions(step, index, use);
      return { ...checks.step(step, `steps[${index}]`, place), place };
    });
    // The requested unit of offsets is left out of `pipeline`, so that it does not change the ids of chunks.
    return { stages: stages.map((stage) => withUnit(stage, offset_unit)), pipeline: steps };
  },
});

export const refineOperation: ChunksOperation<RefineTask> = {
  takes: 'chunks',
  plugins: ({ name }, registry) => [registry.find('refinery', name)],
  label: ({ name }) => name,
  plan: ({ name }, options, rules) => refinePlan(name, rules.checks.refineOptions(name, options), rules),
  read: ({ name }, bytes, rules) => readRefine(name, jsonBytes(bytes), rules),
  collect({ name }, bytes, rules, refusals) {
    const body = jsonBytes(bytes);
    const request = refusals.collect(() => rules.checks.refine(name, parseJson(body)));
    if (request !== undefined) noteStages(refinePlan(name, withoutChunks(request), rules), refusals);
    refusals.problems.push(...inputsOverLimits(parseJson(body), rules.limits));
  },
  run: runRequest,
};

/** @throws ServiceError `invalid_parameters` */
function readRefine(name: string, body: Buffer, rules: Rules): Unread<StagesRequest> {
  const request = rules.checks.refine(name, parseJson(body));
  const { chunks } = request;
  const isBatch = isListOfLists(chunks);
  const lists = (isBatch ? chunks : [chunks]) as readonly (readonly Chunk[])[];
  checkChunks(lists, rules.limits);
  const inputs = readChunks(lists, body, () => {
    const [place] = findMembers(body, 0, ['chunks']);
    return isBatch ? findElements(body, (place as JsonRange).from) : [place];
  });
  return { run: 'refine', ...refinePlan(name, withoutChunks(request), rules), inputs, isBatch };
}

const withoutChunks = ({ chunks: _, ...options }: Members): Members => options;

/** Notes the names in valid options, to be looked up later. */
export function noteStages({ stages, uses }: StageList, refusals: Refusals): void {
  for (const named of namedIn(stages, uses)) refusals.note(named);
}

const DOCUMENTS_OPERATIONS = { chunk: chunkOperation, execute: executeOperation };

export function documentsOperationOf({ run }: DocumentsTask): DocumentsOperation {
  return DOCUMENTS_OPERATIONS[run] as DocumentsOperation;
}

interface Work<T> {
  readonly kind: DocumentsKind<T>;
  readonly task: T;
  readonly rules: Rules;
}

function documentsOperation<T extends DocumentsTask>(kind: DocumentsKind<T>): DocumentsOperation<T> {
  const planApart = (task: T, options: unknown, rules: Rules, source: Source = 'apart') => {
    try {
      return planOf({ kind, task, rules }, kind.check(task, options, rules, source));
    } catch (error) {
      throw withAllProblems(
        error,
        (refusals) => void collectPlan({ kind, task, rules }, options, source, refusals),
      );
    }
  };
  return {
    takes: 'document',
    plugins: kind.plugins,
    label: kind.label,
    plan: planApart,
    planOf: (task, fields, rules) => planApart(task, fieldValues(fields, kind.schema(task, rules)), rules),
    fieldNames: (task, rules) => Object.keys(kind.schema(task, rules).properties),
    read(task, bytes, rules) {
      const body = jsonBytes(bytes);
      const members = kind.check(task, parseJson(body), rules);
      const plan = planOf({ kind, task, rules }, members);
      return { run: task.run, ...plan, ...readInputs(members, body, unitOf(plan), rules.limits) };
    },
    collect: (task, bytes, rules, refusals) =>
      collectRequest({ kind, task, rules }, jsonBytes(bytes), refusals),
    run: runRequest,
  };
}

function planOf<T>({ kind, task, rules }: Work<T>, members: Members): Plan {
  const { text, documents, include, namespace, ...options } = members;
  const { stages, pipeline } = kind.stages(task, options, rules);
  const fields = { include: include as readonly Included[], namespace: namespace as string };
  return { stages, uses: usesOf(stages, rules), ...(pipeline !== undefined && { pipeline }), ...fields };
}

/** Checks the options, and also the steps unless `override` or the whole body is refused. */
function collectPlan<T>(
  work: Work<T>,
  options: unknown,
  source: Source | undefined,
  refusals: Refusals,
): { readonly members: Members; readonly plan: Plan } | undefined {
  const { kind, task, rules } = work;
  const members = refusals.collect(() => kind.check(task, options, rules, source));
  if (members === undefined) {
    if (!isRefused(/^(override|body)\b/, refusals))
      refusals.collect(() => kind.stages(task, withoutInputs(options as Members), rules));
    return undefined;
  }
  const plan = refusals.collect(() => planOf(work, members));
  if (plan === undefined) return undefined;
  noteStages(plan, refusals);
  return { members, plan };
}

/** Checks a request, and also its inputs if these have the right types. */
function collectRequest<T>(work: Work<T>, body: Buffer, refusals: Refusals): void {
  const { limits } = work.rules;
  const found = collectPlan(work, parseJson(body), undefined, refusals);
  const given = found?.members ?? (parseJson(body) as Members);
  if (isRefused(/^(text|documents|body|offset_unit)\b/, refusals)) {
    refusals.problems.push(...inputsOverLimits(given, limits));
    return;
  }
  const unit = found === undefined ? (given.offset_unit as OffsetUnit | undefined) : unitOf(found.plan);
  refusals.collect(() => readInputs(given, body, unit ?? 'code_point', limits));
}

const isRefused = (members: RegExp, { problems }: Refusals): boolean =>
  problems.some((problem) => members.test(problem));

function withUnit(stage: StageRequest, offset_unit: unknown): StageRequest {
  if (offset_unit === undefined || stage.kind !== 'chunker') return stage;
  return { ...stage, options: { ...stage.options, offset_unit } };
}

function refinePlan(name: string, options: Members, rules: Rules): Plan {
  const stages = [{ kind: 'refinery', name, options }] as const;
  return { stages, uses: usesOf(stages, rules), include: [], namespace: '' };
}

type Inputs = Pick<StagesRequest, 'inputs' | 'isBatch'>;

function readInputs({ text, documents }: Members, body: Buffer, unit: OffsetUnit, limits: Limits): Inputs {
  if (documents === undefined) {
    const inputs = readTexts(text as string | readonly string[], body, limits);
    return { inputs, isBatch: typeof text !== 'string' };
  }
  const given = documents as readonly ParsedDocument[];
  return { inputs: readDocuments(given, body, unit, limits), isBatch: true };
}
