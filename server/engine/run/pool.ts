import { MessagePort, threadId as mainThread } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { fromPlainError, ServiceError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { takesJobs } from '../../config/config.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import type { Answer } from '../tasks.ts';
import {
  type BulkMessage,
  createStopFlag,
  type Executor,
  hasBegun,
  openPartChannel,
  type PluginState,
  type Preparation,
  raise,
  STOP_GRACE,
  type Work,
  type WorkerData,
  type WorkMessage,
  type WorkOutcome,
} from './executor.ts';
import type { SharedBuffersRegistry } from './shared-buffers.ts';

type Message = WorkMessage | BulkMessage;
type Pool = Piscina<Message | undefined, WorkOutcome>;

interface Running {
  readonly flag: WorkMessage['flag'];
  fail(error: unknown): void;
}

/** Milliseconds after the first work until a second thread starts, so that it does not slow the first caller. */
const SECOND_AFTER = 1000;
/** Maximum bytes per thread of a model that all threads open. Larger models are opened only where they are used. */
const MAX_BYTES = 64e6;

/**
 * Runs work in worker threads. The first thread starts with the pool, the second shortly after the first work,
 * the others on demand. Idle threads are never stopped. When one thread has opened a model, all threads open it.
 */
export function createPoolExecutor(
  data: WorkerData,
  shared: SharedBuffersRegistry,
  onPluginState: (id: PluginState['plugin'], failure: PluginState['failure']) => void,
): Executor {
  const running = new Set<Running>();
  const models = shareModels(data.config.maxModels);
  const started = Promise.withResolvers<void>();
  const open = () => {
    // Only this event reports a thread that cannot start, because such a thread takes no work.
    const pool = hold(openPool(data), (error) => {
      for (const { flag, fail } of running) if (!hasBegun(flag)) fail(error);
    });
    pool.on('message', (port: unknown) => {
      if (!(port instanceof MessagePort)) return;
      shared.serve(port);
      models.addThread(port);
      port.on('message', ({ plugin, failure }: Partial<PluginState>) => {
        if (plugin !== undefined) onPluginState(plugin, failure);
      });
      started.resolve();
    });
    return pool.on('workerDestroy', () => {
      started.resolve();
      shared.releaseDead(new Set([mainThread, ...pool.threads.map((worker) => worker.threadId)]));
    });
  };
  let opened: Pool | undefined;
  const starting: Promise<unknown>[] = [];
  const pool = () => {
    opened ??= open();
    return opened;
  };
  let isUsed = data.config.workers < 2;
  const noteUse = () => {
    if (!isUsed) setTimeout(() => startSecond(pool(), running.size), SECOND_AFTER).unref();
    isUsed = true;
  };
  return {
    async run(work, signal, onPart) {
      const parts = onPart === undefined ? undefined : openPartChannel(onPart);
      const make = (flag: Running['flag']) => messageOf(work, flag, parts?.port);
      try {
        const outcome = await runInThread(pool(), running, signal, make);
        const { answer } = outcome as Extract<WorkOutcome, { readonly answer: Answer }>;
        models.share(answer.timings);
        return answer;
      } finally {
        parts?.close();
        noteUse();
      }
    },
    async runBulk(bulk, signal, channel) {
      // A task that came while its thread starts would start another one.
      await starting.shift();
      const make = (flag: Running['flag']) => ({
        message: { bulk, flag, channel },
        transferList: [channel.port],
      });
      await runInThread(pool(), running, signal, make).finally(noteUse);
    },
    startThread() {
      pool();
      return started.promise;
    },
    startThreads() {
      starting.push(...startThreads(pool(), data.config.workers));
    },
    get threads() {
      return opened?.threads.length ?? 0;
    },
    close: async () => opened?.destroy(),
  };
}

function startSecond(pool: Pool, busy: number): void {
  // An idle first thread takes one of these empty tasks; the other task starts a second thread.
  if (pool.threads.length < 2) startThreads(pool, Math.max(2 - busy, 0));
}

/** Runs empty tasks, each of which takes an idle thread or starts one. */
function startThreads(pool: Pool, count: number): Promise<unknown>[] {
  return Array.from({ length: count }, () => pool.run(undefined).catch(() => undefined));
}

/** Opens a model in every thread once a request has opened it in one. @param most maximum open models of a thread */
function shareModels(most: number) {
  const ports = new Set<MessagePort>();
  const shared = new Set<string>();
  const send = (port: MessagePort, models: string[]) => port.postMessage({ models } satisfies Preparation);
  return {
    addThread(port: MessagePort): void {
      ports.add(port.once('close', () => ports.delete(port)));
      send(port, [...shared].slice(-most));
    },
    share({ opened }: Answer['timings']): void {
      for (const { asked, bytes } of opened) {
        if (bytes > MAX_BYTES || shared.has(asked)) continue;
        shared.add(asked);
        for (const port of ports) send(port, [asked]);
      }
    },
  };
}

/** Maximum megabytes of a thread's young generation; the default takes twice as much without being faster. */
const YOUNG_MB = 24;

function openPool(workerData: WorkerData): Pool {
  const { workers, workerMemoryMb, bulkConcurrency } = workerData.config;
  const old = workerMemoryMb === 0 ? {} : { maxOldGenerationSizeMb: workerMemoryMb };
  return new Piscina<Message | undefined, WorkOutcome>({
    filename: new URL(`../../worker${MODULE_ENDING}`, import.meta.url).href,
    workerData,
    // Only the first thread receives work while it starts. Later threads have to be ready first.
    minThreads: 1,
    // One extra small task may run beside large tasks. Tasks of jobs keep their threads while they pause.
    maxThreads: workers + (takesJobs(workerData.config) ? 2 + Math.min(bulkConcurrency, workers) : 1),
    idleTimeout: Number.POSITIVE_INFINITY,
    // Idle threads keep their event loops, which close unused connections.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { ...old, maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

interface Sent {
  readonly message: Message;
  readonly transferList: (ArrayBuffer | MessagePort)[];
}

/** Runs work in a thread. An abort raises the stop flag; after `STOP_GRACE` the thread is ended. */
async function runInThread(
  pool: Pool,
  running: Set<Running>,
  signal: AbortSignal,
  make: (flag: Running['flag']) => Sent,
): Promise<WorkOutcome> {
  const flag = createStopFlag();
  const thread = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    raise(flag);
    grace = setTimeout(() => thread.abort(), STOP_GRACE);
  };
  let failure: unknown;
  const fail = (error: unknown) => {
    failure = error;
    thread.abort();
  };
  const entry = { flag, fail };
  running.add(entry);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { message, transferList } = make(flag);
    const outcome = await pool.run(message, { transferList, signal: thread.signal });
    if ('error' in outcome) throw fromPlainError(outcome.error);
    return outcome;
  } catch (error) {
    throw lossOf(failure ?? error);
  } finally {
    running.delete(entry);
    signal.removeEventListener('abort', stop);
    clearTimeout(grace);
  }
}

function messageOf(work: Work, flag: Running['flag'], parts: MessagePort | undefined): Sent {
  const ports = parts === undefined ? [] : [parts];
  if ('request' in work) return { message: { work, flag, parts }, transferList: ports };
  const body = ownBytes(work.body);
  return { message: { work: { ...work, body }, flag, parts }, transferList: [body.buffer, ...ports] };
}

/** The bytes in a buffer of their own, which can be transferred. Node keeps several small bodies in one buffer. */
function ownBytes(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAlone = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  return isAlone ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body);
}

function lossOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new ServiceError('out_of_memory', {}, error);
  const isLost = typeof message === 'string' && message.startsWith('worker exited');
  return new ServiceError(isLost ? 'worker_lost' : 'internal', {}, error);
}
