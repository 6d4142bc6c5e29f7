import { setPriority } from 'node:os';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { toPlainError } from '../../core/errors.ts';
import { composeCore } from '../compose.ts';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import type { Answer } from '../service.ts';
import { release } from './release.ts';
import { connectSharedBuffers } from './shared-buffers.ts';
import { withSignal } from './stop-flag.ts';
import type { TaskMessage, TaskOutcome } from './task.ts';

/** Given to every worker thread when it starts. */
export interface WorkerData {
  readonly config: Config;
  readonly channel: string;
}

/** Above 0 a thread gets less of a core that others want. */
const NICENESS = 10;

/** The thread that reads requests and answers `/health` comes first, where threads have priorities of their own. */
function yieldToFirstThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // A sandbox that forbids it has threads of one priority.
  }
}

yieldToFirstThread();
const { config, channel } = workerData as WorkerData;
const core = await composeCore(config, createLog(config.logLevel), connectSharedBuffers(channel));

/** Entry of a worker thread: bytes in, bytes out. */
export default async function work({ task, body, flag }: TaskMessage): Promise<unknown> {
  try {
    return moved(await withSignal(flag, (signal) => core.service.prepare(task, body).run(signal)));
  } catch (error) {
    return { error: toPlainError(error) } satisfies TaskOutcome;
  } finally {
    release(body);
  }
}

/** Hands the answer's memory over instead of copying it. */
function moved(answer: Answer): unknown {
  const outcome: TaskOutcome = { answer };
  return move({ [valueSymbol]: outcome, [transferableSymbol]: [answer.bytes.buffer] });
}
