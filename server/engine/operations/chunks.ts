import type { Chunk, OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { checkChunks, inputsOverLimits, type Limits, listTexts } from '../limits.ts';
import type { Operation, Rules } from '../operation.ts';
import { type PresetUse, placeOfOptions } from '../presets/presets.ts';
import { allStages } from '../read/all-stages.ts';
import type { Included, Source } from '../read/document-schemas.ts';
import { type ParsedDocument, readDocuments, type SourceDocument } from '../read/documents.ts';
import { fieldValues } from '../read/field-values.ts';
import {
  findElements,
  findMembers,
  findTextLiterals,
  type JsonPlace,
  jsonBytes,
  parseJson,
} from '../read/json.ts';
import { checkOrder, pluginOf } from '../read/pipeline.ts';
import { type Plan, type StreamPlan, unitOf } from '../read/plan.ts';
import { isListOfLists, type Members } from '../read/request-checks.ts';
import { withMetadata } from '../read/request-chunks.ts';
import { namedIn, type StageList, type StageRequest, usesOf } from '../stages/stages.ts';
import type {
  ChunksTask,
  ChunkTask,
  DocumentsTask,
  ExecuteTask,
  Fields,
  RefineTask,
  Unread,
} from '../tasks.ts';
import { orAllRefusals, type Refusals } from '../validation/refusals.ts';
import { runRequest, type StagesRequest } from './run-request.ts';

/** Work that produces chunks, from inputs in the request, in lines of a stream, or in a file. */
export interface ChunksOperation<T extends ChunksTask = ChunksTask> extends Operation<T, StagesRequest> {
  /**
   * Plans the work on each input.
   *
   * @param options members of the request besides the inputs, not checked
   * @param source for a whole request, the member with the inputs, which determines defaults
   * @throws ServiceError `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  plan(task: T, options: unknown, rules: Rules, source?: Source): Plan;
  readonly takes: StreamPlan['takes'];
}

/** Work on documents, which may come as a file. */
export interface DocumentsOperation<T extends DocumentsTask = DocumentsTask> extends ChunksOperation<T> {
  /** The plan for the fields that come with a file. @throws as `plan` */
  planOf(task: T, fields: Fields, rules: Rules): Plan;
  fieldNames(task: T, rules: Rules): readonly string[];
}

interface DocumentsKind<T> {
  plugins(task: T, registry: Registry): readonly (PluginEntry | undefined)[];
  label(task: T): string;
  schema(task: T, rules: Rules): ObjectSchema;
  /** Checks a request, or its members besides the inputs. @throws ServiceError as `plan` */
  check(task: T, request: unknown, rules: Rules, source?: Source): Members;
  /** @param options checked options @throws ServiceError as `plan` */
  stages(task: T, options: Members, rules: Rules): Pick<Plan, 'stages' | 'pipeline'>;
}

export const chunkOperation = documentsOperation<ChunkTask>({
  plugins: ({ name }, registry) => [registry.find('chunker', name)],
  label: ({ name }) => name,
  schema: ({ name }, { registry, schemas }) =>
    schemas.chunk(registry.require('chunker', name).manifest, 'apart'),
  check: ({ name }, request, { checks }, source) => checks.chunk(name, request, source),
  stages: ({ name }, options) => ({ stages: [{ kind: 'chunker', name, options }] }),
});

export const executeOperation = documentsOperation<ExecuteTask>({
  plugins: ({ steps }, registry) => steps.map((step) => pluginOf(registry, step).entry),
  label: () => 'pipeline',
  schema: ({ preset }, { schemas }) => schemas.execute('apart', preset),
  check: ({ preset }, request, { checks }, source) => checks.execute(request, preset, source),
  stages({ steps: own, preset }, { override, offset_unit: unit }, { checks, presets }) {
    const use = { preset, override } as PresetUse;
    const steps = presets.stepsOf(use) ?? own;
    checkOrder(steps);
    const stages = allStages(steps, (step, index) => {
      const place = placeOfOptions(step, index, use);
      return { ...checks.step(step, `steps[${index}]`, place), place };
    });
    // The unit of an answer does not change the ids of its chunks.
    return {
      stages: unit === undefined ? stages : stages.map((stage) => withUnit(stage, unit)),
      pipeline: steps,
    };
  },
});

function withUnit(stage: StageRequest, offset_unit: unknown): StageRequest {
  return stage.kind === 'chunker' ? { ...stage, options: { ...stage.options, offset_unit } } : stage;
}

const DOCUMENTS_OPERATIONS = { chunk: chunkOperation, execute: executeOperation };

export function documentsOperationOf({ run }: DocumentsTask): DocumentsOperation {
  return DOCUMENTS_OPERATIONS[run] as DocumentsOperation;
}

interface Reading<T> {
  readonly kind: DocumentsKind<T>;
  readonly task: T;
  readonly rules: Rules;
}

function documentsOperation<T extends DocumentsTask>(kind: DocumentsKind<T>): DocumentsOperation<T> {
  return {
    takes: 'document',
    plugins: kind.plugins,
    label: kind.label,
    plan: (task, options, rules, source = 'apart') => readPlan({ kind, task, rules }, options, source),
    planOf: (task, fields, rules) =>
      readPlan({ kind, task, rules }, fieldValues(fields, kind.schema(task, rules)), 'apart'),
    fieldNames: (task, rules) => Object.keys(kind.schema(task, rules).properties),
    read: (task, bytes, rules) => readRequest({ kind, task, rules }, jsonBytes(bytes)),
    run: runRequest,
  };
}

/** Reads everything besides the inputs. @throws ServiceError as `plan` */
function readPlan<T>(reading: Reading<T>, options: unknown, source: Source): Plan {
  const { kind, task, rules } = reading;
  return orAllRefusals(
    () => planOf(reading, kind.check(task, options, rules, source)),
    (refusals) => void collectPlan(reading, options, source, refusals),
  );
}

/** @throws ServiceError as `Operation.read` */
function readRequest<T extends DocumentsTask>(reading: Reading<T>, body: Buffer): Unread<StagesRequest> {
  const { kind, task, rules } = reading;
  return orAllRefusals(
    () => {
      const members = kind.check(task, parseJson(body), rules);
      const plan = planOf(reading, members);
      return { run: task.run, ...plan, ...readInputs(members, body, unitOf(plan), rules.limits) };
    },
    (refusals) => collectRequest(reading, body, refusals),
  );
}

function planOf<T>({ kind, task, rules }: Reading<T>, members: Members): Plan {
  const { text, documents, include, namespace, ...options } = members;
  const { stages, pipeline } = kind.stages(task, options, rules);
  const fields = { include: include as readonly Included[], namespace: namespace as string };
  return { stages, uses: usesOf(stages, rules), ...(pipeline !== undefined && { pipeline }), ...fields };
}

/**
 * Reads a refused request again to find all its problems. Each part is checked alone, unless a problem of an
 * earlier part would be repeated.
 */

/** Collects all problems except those of the inputs. @returns what was read, if there are no problems */
function collectPlan<T>(
  reading: Reading<T>,
  request: unknown,
  source: Source | undefined,
  refusals: Refusals,
): { readonly members: Members; readonly plan: Plan } | undefined {
  const { kind, task, rules } = reading;
  const members = refusals.collect(() => kind.check(task, request, rules, source));
  if (members === undefined) {
    if (!hasProblemWith(/^(override|body)\b/, refusals)) {
      const { text: _, documents: __, ...options } = request as Members;
      refusals.collect(() => kind.stages(task, options, rules));
    }
    return undefined;
  }
  const plan = refusals.collect(() => planOf(reading, members));
  if (plan === undefined) return undefined;
  noteStages(plan, refusals);
  return { members, plan };
}

function collectRequest<T>(reading: Reading<T>, body: Buffer, refusals: Refusals): void {
  const { limits } = reading.rules;
  const read = collectPlan(reading, parseJson(body), undefined, refusals);
  const members = read?.members ?? (parseJson(body) as Members);
  if (hasProblemWith(/^(text|documents|body|offset_unit)\b/, refusals)) {
    refusals.problems.push(...inputsOverLimits(members, limits));
    return;
  }
  const unit = read === undefined ? (members.offset_unit as OffsetUnit | undefined) : unitOf(read.plan);
  refusals.collect(() => readInputs(members, body, unit ?? 'code_point', limits));
}

function hasProblemWith(member: RegExp, { problems }: Refusals): boolean {
  return problems.some((problem) => member.test(problem));
}

export function noteStages({ stages, uses }: StageList, refusals: Refusals): void {
  for (const named of namedIn(stages, uses)) refusals.note(named);
}

type Inputs = Pick<StagesRequest, 'inputs' | 'isBatch'>;

function readInputs({ text, documents }: Members, body: Buffer, unit: OffsetUnit, limits: Limits): Inputs {
  if (documents !== undefined) {
    const given = documents as readonly ParsedDocument[];
    return { inputs: readDocuments(given, body, unit, limits), isBatch: true };
  }
  const texts = listTexts(text as string | readonly string[], limits);
  const literals = findTextLiterals(body, 'text') as Uint8Array[];
  const inputs = texts.map((text, index): SourceDocument => ({ text, json: literals[index] as Uint8Array }));
  return { inputs, isBatch: typeof text !== 'string' };
}

export const refineOperation: ChunksOperation<RefineTask> = {
  takes: 'chunks',
  plugins: ({ name }, registry) => [registry.find('refinery', name)],
  label: ({ name }) => name,
  plan: ({ name }, options, rules) => refinePlan(name, rules.checks.refineOptions(name, options), rules),
  read({ name }, bytes, rules) {
    const body = jsonBytes(bytes);
    return orAllRefusals(
      () => readRefine(name, body, rules),
      (refusals) => {
        const request = refusals.collect(() => rules.checks.refine(name, parseJson(body)));
        if (request !== undefined) noteStages(refinePlan(name, request, rules), refusals);
        refusals.problems.push(...inputsOverLimits(parseJson(body), rules.limits));
      },
    );
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
  const inputs = withMetadata(lists, body, () => {
    const [place] = findMembers(body, 0, ['chunks']);
    return isBatch ? findElements(body, (place as JsonPlace).from) : [place];
  });
  return { run: 'refine', ...refinePlan(name, request, rules), inputs, isBatch };
}

function refinePlan(name: string, { chunks: _, ...options }: Members, rules: Rules): Plan {
  const stages = [{ kind: 'refinery', name, options }] as const;
  return { stages, uses: usesOf(stages, rules), include: [], namespace: '' };
}
