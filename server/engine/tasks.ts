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
  /** The preset that has these steps, which the request may then change. */
  readonly preset?: string;
}

export interface RefineTask {
  readonly run: 'refine';
  readonly name: string;
}

/** Candidates that are compared by the chunks that questions find. */
export interface EvaluateTask {
  readonly run: 'evaluate';
  /** Without pipelines, a request that names any is answered with their names. */
  readonly pipelines?: NamedPipelines;
}

/** The stored pipelines that the candidates of a request name, by the given names or ids. */
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
  /** Fields of the query string; a form has further ones. */
  readonly query: Fields;
  /** Who sends it, by a name that no other sender has: readers take turns. */
  readonly sender?: string;
}

/** Fields of a form or query string: the values of each, as written. */
export type Fields = Readonly<Record<string, readonly string[]>>;

export interface LinesTask {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  /** The index of the first of them in the stream. */
  readonly first: number;
  /** Bytes of each of them; they are concatenated. */
  readonly lengths: readonly number[];
}

/** Chunks of documents to be stored by a sink; the body has a line for each. The outcomes report on each document. */
export interface StoreTask {
  readonly run: 'store';
  readonly sink: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  /** Whose work it is: an open collection is reused by tasks with the same owner. */
  readonly owner: string;
  /** In the order of their lines. A document without an id fails, because it could not be found again. */
  readonly documents: readonly { readonly id: string | undefined; readonly chunks: number }[];
}

/** What every request has once it is read. Plain data that can be sent to another thread. */
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
  /** Failures that did not fail the whole answer; the answer reports them too. */
  readonly failures?: readonly PlainError[];
  /** The outcome of each line of a stream, if its plan asks for more than answers, or of each document for a sink. */
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
