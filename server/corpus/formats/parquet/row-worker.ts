import { type MessagePort, parentPort } from 'node:worker_threads';
import { reasonOf } from '../../../../core/errors.ts';
import { type RowLines, type RowsTask, rowLines } from './row-lines.ts';

/** Sent back for a task, and then whenever more is asked for. */
export type RowsAnswer =
  | { readonly lines: RowLines }
  | { readonly done: true }
  | { readonly problem: string };

const port = parentPort as MessagePort;
let lines: AsyncGenerator<RowLines> | undefined;

/** Entry of a thread that decodes row groups. A task begins one; any other message asks for more of its lines. */
port.on('message', async (task: RowsTask | 'more') => {
  if (task !== 'more') lines = rowLines(task);
  try {
    const next = await lines?.next();
    if (next === undefined || next.done) port.postMessage({ done: true } satisfies RowsAnswer);
    else port.postMessage({ lines: next.value } satisfies RowsAnswer, [next.value.bytes.buffer]);
  } catch (error) {
    port.postMessage({ problem: reasonOf(error) } satisfies RowsAnswer);
  }
});
