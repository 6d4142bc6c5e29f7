import type { Operation } from './operation.ts';
import {
  type ChunksOperation,
  chunkOperation,
  executeOperation,
  refineOperation,
} from './operations/chunks.ts';
import { evaluateOperation } from './operations/evaluation/run-evaluation.ts';
import { fileOperation } from './operations/file.ts';
import { linesOperation } from './operations/lines.ts';
import { storeOperation } from './operations/store-chunks.ts';
import { embedOperation, tokenizeOperation } from './operations/texts.ts';
import type { AnyRequest, ChunksTask, Task } from './tasks.ts';

type TaskOf<K extends Task['run']> = Extract<Task, { readonly run: K }>;

/** The kinds of work, by the value of `run` in their tasks and requests. */
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
