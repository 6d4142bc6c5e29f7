import type { PipelineStep } from '../store/contract.ts';
import type { StreamPlan } from './stream-plan.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | ChunksTask
  | { readonly run: 'embed' }
  | { readonly run: 'tokenize' }
  | EvaluateTask
  | { readonly run: 'names' }
  | FileTask
  | LinesTask
  | SplitTask
  | DivideTask
  | StoreTask;

/** Work whose answer are chunks. */
export type ChunksTask = DocumentsTask | { readonly run: 'refine'; readonly name: string };

/** Work on documents, whose answer are chunks. */
export type DocumentsTask =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] };

/** Candidates that are compared by the chunks that questions find. */
export interface EvaluateTask {
  readonly run: 'evaluate';
  readonly pipelines: NamedPipelines;
}

/**
 * The stored pipelines that the candidates of a request name, by the names or ids that they give. What they give is
 * answered to the task `names` with the same body.
 */
export type NamedPipelines = ReadonlyMap<string, NamedPipeline>;

export interface NamedPipeline {
  readonly name: string;
  readonly steps: readonly PipelineStep[];
}

/** A file whose text is chunked. */
export interface FileTask {
  readonly run: 'file';
  /** The work on its text. */
  readonly of: DocumentsTask;
  /** The `Content-Type` of the body, which is a form with the file, or the file itself. */
  readonly contentType: string | undefined;
  /** Fields of the address; a form has further ones. */
  readonly query: Fields;
}

/** Fields of a form or an address: the values of each, as they are written. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** Some lines of a stream, to be answered with a line for each. */
export interface LinesTask {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  /** The index of the first of them in the stream. */
  readonly first: number;
  /** Whether all other work comes first: nobody waits for each of the lines. */
  readonly isBulk?: boolean;
}

/** A batch whose answer is wanted as a stream: it is made a stream itself. */
export interface SplitTask {
  readonly run: 'split';
  /** The work that the batch is for. */
  readonly of: ChunksTask;
}

/** Work that is answered with the requests that it was divided into, or with chunks if it is not worth dividing. */
export interface DivideTask {
  readonly run: 'divide';
  readonly of: ChunksTask;
  /** Most parts. */
  readonly parts: number;
}

/** Chunks of documents that a sink is to store; the body has a line for each. The outcomes say what came of each document. */
export interface StoreTask {
  readonly run: 'store';
  readonly sink: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  /** Whose work it is: a collection that was opened is used again by tasks that say the same. */
  readonly owner: string;
  /** In the order of their lines; one without an id fails, as it could not be found again. */
  readonly documents: readonly { readonly id: string | undefined; readonly chunks: number }[];
}
