import { threadId as mainThread } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { fromPlainError, ServiceError } from '../../core/errors.ts';
import type { Core } from '../compose.ts';
import type { Config } from '../config.ts';
import type { Answer, Task } from '../service.ts';
import { createLanes } from './lanes.ts';
import type { SharedBuffersDesk } from './shared-buffers.ts';
import { createStopFlag, hasBegun, raise, type StopFlag } from './stop-flag.ts';
import type { TaskMessage, TaskOutcome } from './task.ts';
import { createTurns } from './turns.ts';
import type { WorkerData } from './worker.ts';

/** Runs tasks where they belong: small light ones here, the others in a worker thread. */
export interface Runner {
  /**
   * @param body bytes of the request; they may be moved away and must not be used afterwards
   * @param signal when it aborts, the task is dropped from the queue or stopped
   * @throws ServiceError
   */
  run(task: Task, body: Buffer, signal: AbortSignal): Promise<RunAnswer>;
  /** Whether a request with a body of so many bytes is turned away now. */
  isFullFor(bytes: number): boolean;
  /** A connection has come: tasks on the event loop wait until others that may wait are accepted too. */
  makeWay(): void;
  /** What the runner is busy with. */
  load(): RunnerLoad;
  close(): Promise<void>;
}

/** An answer, and how long its task waited for a thread. */
export interface RunAnswer extends Answer {
  readonly queueSeconds: number;
}

export interface RunnerLoad {
  /** Tasks that wait for a thread. */
  readonly waiting: number;
  /** Worker threads that are there. */
  readonly threads: number;
  /** Whether a task that needs a thread is turned away now. */
  readonly isFull: boolean;
}

/** Milliseconds that a task has to stop by itself before its thread is ended. */
const STOP_GRACE = 1000;

export function createRunner(config: Config, core: Core, desk: SharedBuffersDesk, channel: string): Runner {
  if (config.workers === 0) return createInlineRunner(config, core);
  const workerData: WorkerData = { config, channel };
  const lanes = createLanes({ threads: config.workers, queueSize: config.queueSize });
  const turns = createTurns(config.queueSize);
  const pool = new Piscina<TaskMessage, TaskOutcome>({
    filename: new URL('./worker.ts', import.meta.url).href,
    workerData,
    minThreads: 0,
    maxThreads: config.workers + 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    ...(config.workerMemoryMb === 0
      ? {}
      : { resourceLimits: { maxOldGenerationSizeMb: config.workerMemoryMb } }),
  });
  const threads = new Set<{ readonly flag: StopFlag; fail(error: unknown): void }>();
  // A thread that ends before it works on anything, because it cannot start, is reported to nobody else.
  pool.on('error', (error) => {
    for (const { flag, fail } of threads) if (!hasBegun(flag)) fail(error);
  });
  pool.on('workerDestroy', () => {
    desk.keepOnly(new Set([mainThread, ...pool.threads.map((worker) => worker.threadId)]));
  });

  return {
    async run(task, body, signal) {
      if (body.length <= config.inlineBytes) {
        const queueSeconds = await secondsOf(turns.enter(signal));
        const prepared = core.service.prepare(task, body);
        if (prepared.isLight) return { ...(await prepared.run(signal)), queueSeconds };
      }
      return inWorker(task, body, signal);
    },
    makeWay: turns.makeWay,
    isFullFor: (bytes) => (bytes <= config.inlineBytes ? turns.isFull : lanes.isFull),
    load: () => ({
      waiting: lanes.waiting + turns.waiting,
      threads: pool.threads.length,
      isFull: lanes.isFull || turns.isFull,
    }),
    close: () => pool.destroy(),
  };

  async function inWorker(task: Task, body: Buffer, gone: AbortSignal): Promise<RunAnswer> {
    const { signal, end } = withDeadline(gone, config.requestTimeout);
    try {
      const arrived = performance.now();
      const leave = await lanes.enter(body.length, signal);
      const queueSeconds = (performance.now() - arrived) / 1000;
      try {
        return { ...(await inThread(task, ownBytes(body), signal)), queueSeconds };
      } finally {
        leave();
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      end();
    }
  }

  /** Stops the task when the signal aborts: by its own signal, or where it does not yield with its thread. */
  async function inThread(task: Task, body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Answer> {
    const flag = createStopFlag();
    const thread = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const stop = () => {
      raise(flag);
      grace = setTimeout(() => thread.abort(), STOP_GRACE);
    };
    let failure: unknown;
    const entry = {
      flag,
      fail(error: unknown) {
        failure = error;
        thread.abort();
      },
    };
    threads.add(entry);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const outcome = await pool
        .run({ task, body, flag }, { transferList: [body.buffer], signal: thread.signal })
        .catch((error: unknown) => {
          throw asServiceError(failure ?? error);
        });
      if ('error' in outcome) throw fromPlainError(outcome.error);
      return outcome.answer;
    } finally {
      threads.delete(entry);
      signal.removeEventListener('abort', stop);
      clearTimeout(grace);
    }
  }
}

function createInlineRunner(config: Config, core: Core): Runner {
  return {
    async run(task, body, gone) {
      const { signal, end } = withDeadline(gone, config.requestTimeout);
      try {
        return { ...(await core.service.prepare(task, body).run(signal)), queueSeconds: 0 };
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        end();
      }
    },
    makeWay() {},
    isFullFor: () => false,
    load: () => ({ waiting: 0, threads: 0, isFull: false }),
    close: async () => {},
  };
}

/** How long a promise takes. */
async function secondsOf(waiting: Promise<void>): Promise<number> {
  const begin = performance.now();
  await waiting;
  return (performance.now() - begin) / 1000;
}

/** A signal that aborts with the given one, or with `timed_out` after so many seconds. */
function withDeadline(gone: AbortSignal, seconds: number) {
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort(new ServiceError('timed_out', { timeout: seconds }));
  }, seconds * 1000);
  return { signal: AbortSignal.any([gone, deadline.signal]), end: () => clearTimeout(timer) };
}

/** What became of a thread that did not give an outcome. */
function asServiceError(error: unknown): ServiceError {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ServiceError('out_of_memory', {}, error);
  const isLost = typeof message === 'string' && message.startsWith('worker exited');
  return new ServiceError(isLost ? 'worker_lost' : 'internal', {}, error);
}

/** The bytes alone in their buffer, so that they can be moved; small bodies share a pool with others. */
function ownBytes(body: Buffer): Uint8Array<ArrayBuffer> {
  const isAlone = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  return isAlone ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body);
}
