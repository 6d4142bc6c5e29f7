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
  /** Name of the preset that has these steps. The request may override the steps. */
  readonly preset?: string;
}

export interface RefineTask {
  readonly run: 'refine';
  readonly name: string;
}

/** An evaluation: compares candidates by the chunks that they find for questions. */
export interface EvaluateTask {
  readonly run: 'evaluate';
  /** If undefined, the answer to a request that names stored pipelines lists these names. */
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
  /** The `Content-Type` of the body. The body is a form with the file, or the file itself. */
  readonly contentType: string | undefined;
  readonly query: Fields;
  /** Unique name of the sender. Readers serve senders in turns. */
  readonly sender?: string;
}

export type Fields = Readonly<Record<string, readonly string[]>>;

export interface LinesTask {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  readonly first: number;
  /** Number of bytes of each line. The body is the concatenated lines. */
  readonly lengths: readonly number[];
}

/** Stores chunks in a sink. The body has a line for each chunk, and the answer an outcome for each document. */
export interface StoreTask {
  readonly run: 'store';
  readonly sink: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  /** Owner of the task. Tasks of the same owner share an open collection. */
  readonly owner: string;
  /** In the order of the lines. A document without an id fails, because no later run could find its chunks. */
  readonly documents: readonly { readonly id: string | undefined; readonly chunks: number }[];
}

/** Members common to all requests that have been read. Plain data that can be sent to another thread. */
export interface AnyRequest {
  readonly run: Task['run'];
  /** The tokenizers and models that the request opens, as far as they are known before it runs. */
  readonly uses: readonly StageUses[];
  readonly parseSeconds: number;
}

export type Unread<R> = Omit<R, 'parseSeconds'>;

export interface Answer {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reported: readonly Reported[];
  readonly timings: Timings;
  /** Errors of parts of the request, for the log. The answer reports them too. */
  readonly failures?: readonly PlainError[];
  /** For a stream whose plan requests outcomes: one per line. For a sink: one per document. */
  readonly outcomes?: readonly LineOutcome[];
  /** The inputs of a batch as lines; set only if requested. */
  readonly division?: Division;
  /** Names of stored pipelines that the request contains but its task lacks. */
  readonly unknownPipelines?: readonly string[];
  /** The body of the request, if further work needs the body. `bytes` is then empty. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Receives each part of an answer as soon as the part is ready. A part consists of whole lines of JSON. */
export type OnPart = (bytes: Uint8Array<ArrayBuffer>) => void;
