import { type ChunksOperation, chunkOperation, executeOperation, refineOperation } from './chunks.ts';
import { evaluateOperation } from './evaluation/run-evaluation.ts';
import { fileOperation } from './file.ts';
import { linesOperation } from './lines.ts';
import type { Operation } from './operation.ts';
import { storeOperation } from './run-store.ts';
import type { AnyRequest, ChunksTask, Task } from './tasks.ts';
import { embedOperation, tokenizeOperation } from './texts.ts';

type TaskOf<K extends Task['run']> = Extract<Task, { readonly run: K }>;

/** The kinds of work, by what their tasks and requests call them. */
const OPERATIONS = {
  chunk: chunkOperation,
  execute: executeOperation,
  refine: refineOperation,
  embed: embedOperation,
  tokenize: tokenizeOperation,
  evaluate: evaluateOperation,
  file: fileOperation,
  lines: linesOperation,
  store: storeOperation,
} as const satisfies { readonly [K in Task['run']]: Operation<TaskOf<K>> };

/** The kind of work of a task, or of a request that was read. */
export function operationOf(one: ChunksTask): ChunksOperation;
export function operationOf(one: Task | AnyRequest): Operation;
export function operationOf({ run }: Task | AnyRequest): Operation {
  return OPERATIONS[run] as Operation;
}

/** What metrics call the work of a task. */
export function labelOf(task: Task): string {
  return operationOf(task).label(task);
}
