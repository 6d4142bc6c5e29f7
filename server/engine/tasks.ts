import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { PlainError } from '../../core/errors.ts';
import type { Reported, Timings } from './answer/response-metadata.ts';
import type { Division, LineOutcome, StreamPlan } from './read/plan.ts';
import type { StageUses } from './stages/stages.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task = ChunksTask | TextsTask | EvaluateTask | FileTask | LinesTask | StoreTask;

/** Work on texts that are not chunked. */
export type TextsTask = { readonly run: 'embed' } | { readonly run: 'tokenize' };

/** Work whose answer are chunks. */
export type ChunksTask = DocumentsTask | RefineTask;

/** Work on documents, whose answer are chunks. */
export type DocumentsTask = ChunkTask | ExecuteTask;

export interface ChunkTask {
  readonly run: 'chunk';
  readonly name: string;
}

export interface ExecuteTask {
  readonly run: 'execute';
  readonly steps: readonly PipelineStep[];
}

export interface RefineTask {
  readonly run: 'refine';
  readonly name: string;
}

/** Candidates that are compared by the chunks that questions find. */
export interface EvaluateTask {
  readonly run: 'evaluate';
  /** Without them, a request that names any is answered with their names. */
  readonly pipelines?: NamedPipelines;
}

/** The stored pipelines that the candidates of a request name, by the names or ids that they give. */
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
  /** Bytes of each of them; they come one after the other, with nothing between them. */
  readonly lengths: readonly number[];
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

/** What every request has once it is read. Plain data that can go to another thread. */
export interface AnyRequest {
  readonly run: Task['run'];
  /** The tokenizers and models that it opens, as far as they are known before it runs. */
  readonly uses: readonly StageUses[];
  /** Seconds that it took to read. */
  readonly parseSeconds: number;
}

export type Unread<R> = Omit<R, 'parseSeconds'>;

/** The answer to a task. */
export interface Answer {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the plugins reported about each document. */
  readonly reported: readonly Reported[];
  readonly timings: Timings;
  /** What failed of an answer and did not fail all of it; the answer says so. */
  readonly failures?: readonly PlainError[];
  /** What came of each line of a stream, if its plan asks for more than answers, or of each document for a sink. */
  readonly outcomes?: readonly LineOutcome[];
  /** The batch as lines, if that was asked for. */
  readonly division?: Division;
  /** Stored pipelines that the request names and its task does not have. */
  readonly unknownPipelines?: readonly string[];
  /** The bytes of the request, if it goes on with them: `bytes` is empty then. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Takes parts of an answer as soon as they are there: whole lines of JSON. */
export type OnPart = (bytes: Uint8Array<ArrayBuffer>) => void;
