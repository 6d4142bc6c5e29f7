import type { Chunk, OffsetUnit } from '../../core/contracts/chunk.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { PipelineStep } from '../store/contract.ts';
import { jsonBytes, parseJson } from '../wire/json-body.ts';
import { findTextLiterals } from '../wire/json-text.ts';
import type { Included } from './document-schemas.ts';
import { readDocuments, type SourceDocument } from './documents.ts';
import type { Input } from './execution.ts';
import { withMetadata } from './given-chunks.ts';
import { checkChunks, checkTexts, type Limits } from './limits.ts';
import { checkOrder, missingPlugin, pluginOf, withOwnName } from './pipeline.ts';
import { type Checks, createChecks, isListOfLists, type Members } from './request-checks.ts';
import type { RequestSchemas } from './request-schemas.ts';
import type { StageRequest } from './stages.ts';
import { type TextsRequest, textsRequest } from './texts-request.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] }
  | { readonly run: 'embed' }
  | { readonly run: 'tokenize' };

/** A request that was read and checked. Plain data that can go to another thread. */
export type Execution = StagesRequest | TextsRequest;

/** A request for chunks: inputs, stages, output. */
export interface StagesRequest {
  readonly inputs: readonly Input[];
  /** Whether the answer is a list of lists. */
  readonly isBatch: boolean;
  readonly stages: readonly StageRequest[];
  /** The steps, if a stored pipeline is executed: its chunks have ids, `context` and `embedding`. */
  readonly pipeline?: readonly PipelineStep[];
  /** The further fields of chunks that are asked for. */
  readonly include: readonly Included[];
  /** The namespace of the chunks' ids. */
  readonly namespace: string;
  /** Seconds that it took to read the request. */
  readonly parseSeconds: number;
}

/** Reads and checks requests. */
export interface Requests {
  /**
   * Reads the request of a task.
   *
   * @param bytes JSON; the execution refers to them, so they must not change
   * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`, `invalid_parameters`, `unknown_plugin`,
   *   `missing_capability`
   */
  read(task: Task, bytes: Uint8Array): Execution;
  /**
   * Checks a step of a pipeline that is to be stored: its plugin is there, and takes its configuration.
   *
   * @param place where the step is, for the message: `steps[1]`
   * @param allowMissing whether the plugin may be missing; its configuration is not checked then
   * @returns the step with its plugin's own name, however that was spelt
   * @throws ServiceError `invalid_parameters`
   */
  checkStep(step: PipelineStep, place: string, allowMissing: boolean): PipelineStep;
}

type Asked = Omit<StagesRequest, 'parseSeconds'> | Omit<TextsRequest, 'parseSeconds'>;

export function createRequests(registry: Registry, schemas: RequestSchemas, limits: Limits): Requests {
  const checks = createChecks(registry, schemas, limits);
  return {
    read(task, bytes) {
      const start = performance.now();
      const body = jsonBytes(bytes);
      const asked = readTask(task, body, parseJson(body), { checks, limits });
      return { ...asked, parseSeconds: (performance.now() - start) / 1000 } as Execution;
    },

    checkStep(step, place, allowMissing) {
      const plugin = pluginOf(registry, step);
      if (plugin.entry !== undefined) checks.step(step, place);
      else if (plugin.name !== '' && !allowMissing) {
        const problem = `${missingPlugin(registry, plugin, place)}; "allow_missing": true stores the step for a server that has it`;
        throw new ServiceError('invalid_parameters', { problems: [problem] });
      }
      return withOwnName(registry, step);
    },
  };
}

/** What requests are held against. */
interface Rules {
  readonly checks: Checks;
  readonly limits: Limits;
}

function readTask(task: Task, body: Buffer, request: unknown, rules: Rules): Asked {
  const { checks, limits } = rules;
  if (task.run === 'chunk') return readChunk(task.name, body, checks.chunk(task.name, request), limits);
  if (task.run === 'refine') return readRefine(task.name, body, checks.refine(task.name, request), limits);
  if (task.run !== 'execute') return textsRequest(task.run, checks[task.run](request), limits);
  return readExecute(task.steps, body, checks.execute(request), rules);
}

function readChunk(name: string, body: Buffer, members: Members, limits: Limits): Asked {
  const { text, documents, include, namespace, ...options } = members;
  return readSource(members, body, [{ kind: 'chunker', name, options }], limits);
}

function readRefine(name: string, body: Buffer, { chunks, ...options }: Members, limits: Limits): Asked {
  const isBatch = isListOfLists(chunks);
  const lists = (isBatch ? chunks : [chunks]) as readonly (readonly Chunk[])[];
  checkChunks(lists, limits);
  const inputs = withMetadata(lists, body, isBatch);
  return { inputs, isBatch, stages: [{ kind: 'refinery', name, options }], include: [], namespace: '' };
}

function readExecute(
  pipeline: readonly PipelineStep[],
  body: Buffer,
  members: Members,
  { checks, limits }: Rules,
): Asked {
  checkOrder(pipeline);
  const stages = pipeline.map((step, index) => checks.step(step, `steps[${index}]`));
  return { ...readSource(members, body, stages, limits), pipeline };
}

/** Reads what is chunked, and what the request says of the fields of its chunks. */
function readSource(
  { text, documents, include, namespace }: Members,
  body: Buffer,
  stages: readonly StageRequest[],
  limits: Limits,
): Omit<StagesRequest, 'parseSeconds'> {
  const fields = { include: include as readonly Included[], namespace: namespace as string };
  if (documents === undefined) return { ...readTexts(text as Texts, body, limits), stages, ...fields };
  const inputs = readDocuments(documents as Documents, body, unitOf(stages), limits);
  return { inputs, isBatch: true, stages, ...fields };
}

type Documents = Parameters<typeof readDocuments>[0];

/** The unit of the offsets of an answer: that of the last chunker. */
function unitOf(stages: readonly StageRequest[]): OffsetUnit {
  return stages.findLast(({ kind }) => kind === 'chunker')?.options.offset_unit as OffsetUnit;
}

type Texts = string | readonly string[];

function readTexts(text: Texts, body: Buffer, limits: Limits): Pick<StagesRequest, 'inputs' | 'isBatch'> {
  checkTexts(text, limits);
  const texts = typeof text === 'string' ? [text] : text;
  const literals = findTextLiterals(body, 'text') as Uint8Array[];
  const inputs = texts.map((text, index): SourceDocument => ({ text, json: literals[index] as Uint8Array }));
  return { inputs, isBatch: typeof text !== 'string' };
}
