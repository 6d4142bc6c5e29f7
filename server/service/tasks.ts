import type { PipelineStep } from '../store/contract.ts';
import type { StreamPlan } from './stream-plan.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export type Task =
  | ChunksTask
  | { readonly run: 'embed' }
  | { readonly run: 'tokenize' }
  | LinesTask
  | SplitTask;

/** Work whose answer are chunks. */
export type ChunksTask =
  | { readonly run: 'chunk'; readonly name: string }
  | { readonly run: 'refine'; readonly name: string }
  | { readonly run: 'execute'; readonly steps: readonly PipelineStep[] };

/** Some lines of a stream, to be answered with a line for each. */
export interface LinesTask {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  /** The index of the first of them in the stream. */
  readonly first: number;
}

/** A batch whose answer is wanted as a stream: it is made a stream itself. */
export interface SplitTask {
  readonly run: 'split';
  /** The work that the batch is for. */
  readonly of: ChunksTask;
}
