import type { Chunk } from '../../core/contracts/chunk.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { PipelineStep } from '../store/contract.ts';
import { jsonBytes, parseJson } from '../wire/json-body.ts';
import { findElements, findMembers, type JsonPlace } from '../wire/json-places.ts';
import { findTextLiterals } from '../wire/json-text.ts';
import { type DividedRequest, divideBatch } from './divide-batch.ts';
import type { Included } from './document-schemas.ts';
import { readDocuments, type SourceDocument } from './documents.ts';
import type { EvaluationRequest } from './evaluation/evaluation-request.ts';
import { pipelinesNamed, readEvaluation } from './evaluation/read-evaluation.ts';
import { fieldValues } from './field-values.ts';
import type { FileRequest } from './file-request.ts';
import { withMetadata } from './given-chunks.ts';
import { checkChunks, checkTexts, type Limits } from './limits.ts';
import { checkOrder, missingPlugin, pluginOf, withOwnName } from './pipeline.ts';
import { type Plan, type StagesRequest, unitOf } from './plan.ts';
import { parseLine, readLines } from './read-lines.ts';
import { type Checks, createChecks, isListOfLists, type Members } from './request-checks.ts';
import type { RequestSchemas } from './request-schemas.ts';
import type { StoreRequest } from './run-store.ts';
import { type SplitRequest, splitBatch } from './split-batch.ts';
import type { LinesRequest, StreamPlan } from './stream-plan.ts';
import type { ChunksTask, DocumentsTask, Fields, FileTask, StoreTask, Task } from './tasks.ts';
import { type TextsRequest, textsRequest } from './texts-request.ts';

/** A request that was read and checked. Plain data that can go to another thread. */
export type Execution =
  | StagesRequest
  | TextsRequest
  | EvaluationRequest
  | NamesRequest
  | LinesRequest
  | SplitRequest
  | DividedRequest
  | FileRequest
  | StoreRequest;

/** Names in a request of stored pipelines, which it is answered with. */
export interface NamesRequest {
  readonly run: 'names';
  readonly names: readonly string[];
  readonly parseSeconds: number;
}

/** Whether plugins of steps may be missing, may be if the request says so, or may not. */
export type MissingPlugins = 'allowed' | 'optional' | 'refused';

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
   * Reads the first line of a stream.
   *
   * @throws ServiceError `line_not_json`, `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  readStreamPlan(task: ChunksTask, line: Uint8Array): StreamPlan;
  /**
   * Reads the fields that come with a file.
   *
   * @throws ServiceError `invalid_parameters`, `unknown_plugin`, `missing_capability`
   */
  readFilePlan(task: DocumentsTask, fields: Fields): Plan;
  /**
   * Checks a step of a pipeline that is to be stored: its plugin is there, and takes its configuration.
   *
   * @param place where the step is, for the message: `steps[1]`
   * @param missing what is said of a step whose plugin is missing; if it is allowed, its configuration is not checked
   * @returns the step with its plugin's own name, however that was spelt
   * @throws ServiceError `invalid_parameters`
   */
  checkStep(step: PipelineStep, place: string, missing: MissingPlugins): PipelineStep;
}

type Asked =
  | Unread<StagesRequest>
  | Unread<TextsRequest>
  | Unread<EvaluationRequest>
  | Unread<NamesRequest>
  | Unread<LinesRequest>
  | Unread<SplitRequest>
  | Unread<DividedRequest>;
type Unread<T> = Omit<T, 'parseSeconds'>;

export function createRequests(registry: Registry, schemas: RequestSchemas, limits: Limits): Requests {
  const checks = createChecks(registry, schemas, limits);
  const schemaOf = (task: DocumentsTask) =>
    task.run === 'chunk'
      ? schemas.chunk(registry.require('chunker', task.name).manifest, 'apart')
      : schemas.execute('apart');
  return {
    read(task, bytes) {
      if (task.run === 'file') return { run: 'file', task, bytes };
      if (task.run === 'store') return { run: 'store', task, bytes };
      const start = performance.now();
      const body = jsonBytes(bytes);
      const asked = readTask(task, body, { checks, limits });
      return { ...asked, parseSeconds: (performance.now() - start) / 1000 } as Execution;
    },

    readStreamPlan: (task, line) => readStreamPlan(task, jsonBytes(line), checks),

    readFilePlan(task, fields) {
      const members = fieldValues(fields, schemaOf(task));
      return planOf(task, membersApart(task, members, checks), checks);
    },

    checkStep(step, place, missing) {
      const plugin = pluginOf(registry, step);
      if (plugin.entry !== undefined) checks.step(step, place);
      else if (plugin.name !== '' && missing !== 'allowed') {
        const hint = missing === 'optional' ? ALLOW_MISSING : '';
        const problem = `${missingPlugin(registry, plugin, place)}${hint}`;
        throw new ServiceError('invalid_parameters', { problems: [problem] });
      }
      return withOwnName(registry, step);
    },
  };
}

const ALLOW_MISSING = '; "allow_missing": true stores the step for a server that has it';

/** What requests are held against. */
interface Rules {
  readonly checks: Checks;
  readonly limits: Limits;
}

function readTask(task: Exclude<Task, FileTask | StoreTask>, body: Buffer, { checks, limits }: Rules): Asked {
  if (task.run === 'lines') return readLines(task, body, limits);
  if (task.run === 'split') return splitBatch(task, body, readChunksTask(task.of, body, { checks, limits }));
  if (task.run === 'divide') {
    const request = readChunksTask(task.of, body, { checks, limits });
    const parts = divideBatch(body, request, task.parts);
    return parts === undefined ? request : { run: 'divide', parts };
  }
  if (task.run === 'embed') return textsRequest('embed', checks.embed(parseJson(body)), limits);
  if (task.run === 'evaluate') return readEvaluation(task, body, { checks, limits });
  if (task.run === 'names') return { run: 'names', names: pipelinesNamed(parseJson(body)) };
  if (task.run === 'tokenize') return textsRequest('tokenize', checks.tokenize(parseJson(body)), limits);
  return readChunksTask(task, body, { checks, limits });
}

type ChunksRequest = Unread<StagesRequest>;

function readChunksTask(task: ChunksTask, body: Buffer, { checks, limits }: Rules): ChunksRequest {
  const request = parseJson(body);
  if (task.run === 'refine') {
    return readRefine(task.name, body, checks.refine(task.name, request), limits);
  }
  const members = task.run === 'chunk' ? checks.chunk(task.name, request) : checks.execute(request);
  const plan = planOf(task, members, checks);
  const { text, documents } = members;
  if (documents === undefined) return { ...plan, ...readTexts(text as Texts, body, limits) };
  const inputs = readDocuments(documents as Documents, body, unitOf(plan), limits);
  return { ...plan, inputs, isBatch: true };
}

/** What is done with each document of a request that was checked. */
function planOf(task: DocumentsTask, members: Members, checks: Checks): Plan {
  const { text, documents, include, namespace, ...options } = members;
  const fields = { include: include as readonly Included[], namespace: namespace as string };
  if (task.run === 'chunk') return { stages: [{ kind: 'chunker', name: task.name, options }], ...fields };
  checkOrder(task.steps);
  const stages = task.steps.map((step, index) => checks.step(step, `steps[${index}]`));
  return { stages, pipeline: task.steps, ...fields };
}

function readRefine(name: string, body: Buffer, members: Members, limits: Limits): ChunksRequest {
  const { chunks, ...options } = members;
  const isBatch = isListOfLists(chunks);
  const lists = (isBatch ? chunks : [chunks]) as readonly (readonly Chunk[])[];
  checkChunks(lists, limits);
  const inputs = withMetadata(lists, body, () => {
    const [place] = findMembers(body, 0, ['chunks']);
    return isBatch ? findElements(body, (place as JsonPlace).from) : [place];
  });
  return { ...refinePlan(name, options), inputs, isBatch };
}

function refinePlan(name: string, options: Members): Plan {
  return { stages: [{ kind: 'refinery', name, options }], include: [], namespace: '' };
}

/** What the first line of a stream says, which has everything of a request but what is worked on. */
function readStreamPlan(task: ChunksTask, line: Buffer, checks: Checks): StreamPlan {
  const options = parseLine(line, FIRST_LINE);
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const problems = ['the first line of the stream: expected an object with the options, such as {}'];
    throw new ServiceError('invalid_parameters', { problems });
  }
  if (task.run === 'refine') {
    return { ...refinePlan(task.name, checks.refineOptions(task.name, options)), takes: 'chunks' };
  }
  return { ...planOf(task, membersApart(task, options, checks), checks), takes: 'document' };
}

/** What a request has besides what is chunked, checked. */
function membersApart(task: DocumentsTask, members: unknown, checks: Checks): Members {
  return task.run === 'chunk' ? checks.chunk(task.name, members, 'apart') : checks.execute(members, 'apart');
}

const FIRST_LINE = 'The first line of the stream';

type Documents = Parameters<typeof readDocuments>[0];
type Texts = string | readonly string[];

function readTexts(text: Texts, body: Buffer, limits: Limits): Pick<StagesRequest, 'inputs' | 'isBatch'> {
  checkTexts(text, limits);
  const texts = typeof text === 'string' ? [text] : text;
  const literals = findTextLiterals(body, 'text') as Uint8Array[];
  const inputs = texts.map((text, index): SourceDocument => ({ text, json: literals[index] as Uint8Array }));
  return { inputs, isBatch: typeof text !== 'string' };
}
