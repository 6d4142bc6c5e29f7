import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toPlainError } from '../core/errors.ts';
import { registryOf } from '../core/hosting/registry.ts';
import { findRangeWork } from './config/find-range-work.ts';
import { createThreadLog } from './config/log.ts';
import { giveMemoryBack, release } from './engine/memory.ts';
import { BulkChannel } from './engine/run/bulk-threads.ts';
import {
  type BulkMessage,
  type PluginState,
  type Preparation,
  partSender,
  runWork,
  type WorkerData,
  type WorkMessage,
  type WorkOutcome,
  withSignal,
} from './engine/run/executor.ts';
import { connectSharedBuffers } from './engine/run/shared-buffers.ts';
import type { Answer } from './engine/tasks.ts';
import { createServiceContainer } from './service-container.ts';

/** Nice value of worker threads. A positive value lowers their share of a busy core. */
const NICENESS = 10;

/** Lowers this thread's priority below that of the HTTP thread. Only Linux has priorities per thread. */
function yieldToFirstThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // If a sandbox forbids the change, all threads keep the same priority.
  }
}

// `move` of piscina marks an answer with these symbols. Importing it would load the pool itself into every thread.
const require = createRequire(import.meta.url);
const { kMovable, kTransferable, kValue } = require(
  join(dirname(require.resolve('piscina')), 'symbols.js'),
) as Readonly<Record<'kMovable' | 'kTransferable' | 'kValue', symbol>>;

yieldToFirstThread();
const { config, plugins } = workerData as WorkerData;
const { port1, port2 } = new MessageChannel();
const { cradle } = createServiceContainer({
  config,
  log: createThreadLog(config),
  shared: connectSharedBuffers(port2),
  registry: registryOf(plugins.all, plugins.broken),
  onPluginState: (plugin, failure) => port2.postMessage({ plugin, failure } satisfies PluginState),
  readerThreads: 1,
});
const { service, openers } = cradle;
port2.on('message', ({ models = [] }: Partial<Preparation>) => openers.prepare(models)).unref();
(parentPort as MessagePort).postMessage(port1, [port1]);

/** Entry point of a worker thread. Returns an answer, or an error as data. Without work, only starts the thread. */
export default async function work(message: WorkMessage | BulkMessage | undefined): Promise<unknown> {
  if (message === undefined) return undefined;
  if ('bulk' in message) return workInBulk(message);
  const { work, flag, parts } = message;
  let isGivenBack = false;
  try {
    const answer = await withSignal(flag, (signal) => runWork(service, work, signal, partSender(parts)));
    isGivenBack = answer.body !== undefined;
    return moved(answer);
  } catch (error) {
    return { error: toPlainError(error) } satisfies WorkOutcome;
  } finally {
    if ('body' in work && !isGivenBack) release(work.body);
    giveMemoryBack();
  }
}

/** Transfers the answer's memory to the main thread instead of copying it. */
function moved(answer: Answer): unknown {
  const outcome: WorkOutcome = { answer };
  const buffers = [answer.bytes, answer.body].flatMap((bytes) => bytes?.buffer ?? []);
  return { [kMovable]: true, [kValue]: outcome, [kTransferable]: buffers };
}

/** Milliseconds without bulk work until its memory is given back. Before that, the next task would take it again. */
const IDLE = 1000;
let idle: NodeJS.Timeout | undefined;

/** Works on a task that reads its input and writes its output itself. */
async function workInBulk({ bulk, flag, channel: end }: BulkMessage): Promise<WorkOutcome> {
  clearTimeout(idle);
  try {
    await withSignal(flag, async (signal) => {
      const channel = new BulkChannel(end, signal);
      try {
        const { workOnRange } = await findRangeWork();
        await workOnRange(bulk, { cradle, channel, signal });
      } finally {
        channel.close();
      }
    });
    return { isDone: true };
  } catch (error) {
    return { error: toPlainError(error) };
  } finally {
    idle = setTimeout(giveMemoryBack, IDLE).unref();
  }
}
