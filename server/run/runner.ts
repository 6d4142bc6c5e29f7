import { threadId as mainThread } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { fromPlainError, ServiceError } from '../../core/errors.ts';
import type { Core } from '../compose.ts';
import type { Config } from '../config.ts';
import type { Answer, Task } from '../service.ts';
import type { SharedBuffersDesk } from './shared-buffers.ts';
import type { TaskMessage, TaskOutcome } from './task.ts';
import type { WorkerData } from './worker.ts';

/** Runs tasks where they belong: small light ones here, the others in a worker thread. */
export interface Runner {
  /**
   * @param body bytes of the request; they may be moved away and must not be used afterwards
   * @param signal when it aborts, the task is dropped from the queue or stopped with its thread
   * @throws ServiceError
   */
  run(task: Task, body: Buffer, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** Seconds after which a client may try again when the queue is full. */
const RETRY_SECONDS = 1;

export function createRunner(config: Config, core: Core, desk: SharedBuffersDesk, channel: string): Runner {
  if (config.workers === 0) {
    return {
      run: async (task, body, signal) => core.service.prepare(task, body).run(signal),
      close: async () => {},
    };
  }
  const workerData: WorkerData = { config, channel };
  const pool = new Piscina<TaskMessage, TaskOutcome>({
    filename: new URL('./worker.ts', import.meta.url).href,
    workerData,
    minThreads: 0,
    maxThreads: config.workers,
    idleTimeout: Number.POSITIVE_INFINITY,
  });
  let accepted = 0;
  pool.on('workerDestroy', () => {
    desk.keepOnly(new Set([mainThread, ...pool.threads.map((worker) => worker.threadId)]));
  });

  return {
    async run(task, body, signal) {
      if (body.length <= config.inlineBytes) {
        const prepared = core.service.prepare(task, body);
        if (prepared.isLight) return prepared.run(signal);
      }
      const outcome = await inWorker(task, body, signal);
      if ('error' in outcome) throw fromPlainError(outcome.error);
      return outcome.answer;
    },
    close: () => pool.destroy(),
  };

  async function inWorker(task: Task, body: Buffer, signal: AbortSignal): Promise<TaskOutcome> {
    // Piscina's own limit does not hold for tasks that can be aborted.
    if (accepted >= config.workers + config.queueSize) {
      throw new ServiceError('overloaded', { seconds: RETRY_SECONDS });
    }
    accepted++;
    const bytes = ownBytes(body);
    try {
      return await pool.run({ task, body: bytes }, { transferList: [bytes.buffer], signal });
    } catch (error) {
      throw new ServiceError('internal', {}, error);
    } finally {
      accepted--;
    }
  }
}

/** The bytes alone in their buffer, so that they can be moved; small bodies share a pool with others. */
function ownBytes(body: Buffer): Uint8Array<ArrayBuffer> {
  const isAlone = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  return isAlone ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body);
}
