import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { PlainError } from '../../core/errors.ts';
import type { Reported, Timings } from './answer/response-metadata.ts';
import type { Division, LineOutcome, StreamPlan } from './read/plan.ts';
import type { StageUses } from './stages/stages.ts';

/** A piece of work for the service, as plain data that can be sent to another thread. */
export type Task = ChunksTask | TextsTask | EvaluateTask | FileTask | LinesTask | StoreTask;

export type TextsTask = { readonly run: 'embed' } | { readonly run: 'tokenize' };

export type ChunksTask = DocumentsTask | RefineTask;

export type DocumentsTask = ChunkTask | ExecuteTask;

export interface ChunkTask {
  readonly run: 'chunk';
  readonly name: string;
}

export interface ExecuteTask {
  readonly run: 'execute';
  readonly steps: readonly PipelineStep[];
  /** Name of the preset with these steps, which the request may override. */
  readonly preset?: string;
}

export interface RefineTask {
  readonly run: 'refine';
  readonly name: string;
}

/** An evaluation: compares candidates by the chunks that questions find. */
export interface EvaluateTask {
  readonly run: 'evaluate';
  /** Without pipelines, a request that names any is answered with their names. */
  readonly pipelines?: NamedPipelines;
}

/** The stored pipelines of the candidates, by the names or ids in the request. */
export type NamedPipelines = ReadonlyMap<string, NamedPipeline>;

export interface NamedPipeline {
  readonly name: string;
  readonly steps: readonly PipelineStep[];
}

export interface FileTask {
  readonly run: 'file';
  readonly of: DocumentsTask;
  /** The `Content-Type` of the body, which is a form with the file, or the file itself. */
  readonly contentType: string | undefined;
  readonly query: Fields;
  /** Unique name of the sender, because readers serve senders in turns. */
  readonly sender?: string;
}

export type Fields = Readonly<Record<string, readonly string[]>>;

export interface LinesTask {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  readonly first: number;
  /** Bytes of each line; the lines are concatenated. */
  readonly lengths: readonly number[];
}

/** Stores chunks in a sink. The body has a line for each chunk; the outcomes report on each document. */
export interface StoreTask {
  readonly run: 'store';
  readonly sink: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  /** Owner of the work: tasks with the same owner reuse an open collection. */
  readonly owner: string;
  /** In the order of their lines. A document without an id fails, because it could not be found again. */
  readonly documents: readonly { readonly id: string | undefined; readonly chunks: number }[];
}

/** Common members of all requests after reading. Plain data that can be sent to another thread. */
export interface AnyRequest {
  readonly run: Task['run'];
  /** The tokenizers and models that it opens, as far as is known before it runs. */
  readonly uses: readonly StageUses[];
  readonly parseSeconds: number;
}

export type Unread<R> = Omit<R, 'parseSeconds'>;

export interface Answer {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reported: readonly Reported[];
  readonly timings: Timings;
  /** Failures of parts of the answer, which reports them too. */
  readonly failures?: readonly PlainError[];
  /** The outcome of each line of a stream, if its plan requests it, or of each document for a sink. */
  readonly outcomes?: readonly LineOutcome[];
  /** The batch as lines, if requested. */
  readonly division?: Division;
  /** Stored pipelines that the request names and its task lacks. */
  readonly unknownPipelines?: readonly string[];
  /** The bytes of the request, if work on them continues; `bytes` is empty then. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Takes parts of an answer as soon as they are ready: whole lines of JSON. */
export type OnPart = (bytes: Uint8Array<ArrayBuffer>) => void;
