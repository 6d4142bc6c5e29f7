import type { ReadContext, Reader, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import { fromPlainError, type PlainError, refusedError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { unlessAborted } from '../abort.ts';
import { type GuardedContext, isGuarded, type Sender } from '../read/read-with.ts';
import { GuardedThread, OverLimitError, OverTimeError } from './guarded-thread.ts';
import { NOBODY, PriorityQueue } from './priority-queue.ts';

/** Given to the thread when it starts. */
export interface ReaderThreadData {
  readonly config: Config;
  /** The readers that it may be asked for. */
  readonly readers: readonly PluginEntry[];
}

/** A file to be read by the reader of that name. */
export interface ReadMessage {
  readonly reader: string;
  readonly file: SourceFile;
  readonly options: ReadContext['options'];
}

/** Sent back: what was read, with the metadata reported meanwhile, or an error as data: a refusal leaves the thread whole. */
export type ReadOutcome =
  | { readonly read: ReadFile; readonly reported: readonly (readonly [name: string, value: string])[] }
  | { readonly error: PlainError; readonly isRefusal: boolean };

type ReaderThread = GuardedThread<ReadOutcome>;

const MEGABYTE = 1_048_576;
/** Bytes that reading one file may take. */
const MEMORY = 256 * MEGABYTE;
/** Files after which a thread is replaced, in case a parser keeps something of each. */
const MOST_FILES = 100;
/** Seconds after the deadline of a request, whose error comes first; the documents of jobs have no deadline. */
const GRACE = 1;
/** Milliseconds after which the memory of an idle thread is freed. */
const MOST_IDLE = 60_000;

/**
 * Runs the readers whose manifests say `guarded`, each file in a thread of its own that ends when it exceeds its limits
 * or is no longer wanted. A thread that has read a file, or refused it, is kept for the next one.
 */
export class GuardedReaders {
  readonly #config: Config;
  readonly #readers: readonly PluginEntry[];
  /** Kept threads, with the number of files that they have read. */
  readonly #idle = new Map<ReaderThread, { readonly files: number; readonly end: NodeJS.Timeout }>();
  readonly #queue: PriorityQueue;
  #isClosed = false;

  constructor(config: Config, plugins: readonly PluginEntry[]) {
    this.#config = config;
    this.#readers = plugins.filter(isGuarded);
    // One that is stuck does not hold up all others.
    this.#queue = new PriorityQueue({ threads: Math.max(config.workers, 2), queueSize: 0 });
  }

  /** A reader that passes each file to a thread. */
  reader({ manifest: { name } }: PluginEntry): Reader {
    return {
      read: async (file, { report, signal, options, sender }: GuardedContext) => {
        const outcome = await this.#ask({ reader: name, file, options }, signal, sender);
        if ('error' in outcome) throw fromPlainError(outcome.error);
        for (const [reported, value] of outcome.reported) report(reported, value);
        return outcome.read;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#idle.keys()].map((thread) => this.#end(thread)));
  }

  async #ask(
    { file, ...message }: ReadMessage,
    signal: AbortSignal,
    sender: Sender = NOBODY,
  ): Promise<ReadOutcome> {
    const leave = await this.#queue.enter(file.bytes.length, signal, { urgency: 'patient', sender });
    const { thread, files } = this.#take();
    const bytes = Uint8Array.from(file.bytes);
    const time = readingTime(bytes.length, this.#config);
    try {
      const answer = thread.ask({ ...message, file: { ...file, bytes } }, [bytes.buffer], time * 1000);
      const outcome = await unlessAborted(answer, signal);
      if ('read' in outcome || outcome.isRefusal) this.#keep(thread, files + 1);
      return outcome;
    } catch (error) {
      if (!(error instanceof OverLimitError)) throw error;
      const remedy = error instanceof OverTimeError ? remedyFor(time, this.#config) : '';
      throw refusedError(`The file cannot be read: ${error.message}${remedy}.`, error);
    } finally {
      if (!this.#idle.has(thread)) void thread.close();
      leave();
    }
  }

  /** A kept thread, or a new one. */
  #take(): { thread: ReaderThread; files: number } {
    for (const [thread, { files, end }] of this.#idle) {
      clearTimeout(end);
      this.#idle.delete(thread);
      if (!thread.isOver) return { thread, files };
    }
    const entry = new URL(`../../reader-thread${MODULE_ENDING}`, import.meta.url);
    const limits = { memory: MEMORY, time: (this.#config.requestTimeout + GRACE) * 1000 };
    const given: ReaderThreadData = { config: this.#config, readers: this.#readers };
    return { thread: new GuardedThread(entry, limits, given), files: 0 };
  }

  #keep(thread: ReaderThread, files: number): void {
    if (files >= MOST_FILES || this.#isClosed) return;
    this.#idle.set(thread, { files, end: setTimeout(() => this.#end(thread), MOST_IDLE).unref() });
  }

  #end(thread: ReaderThread): Promise<void> {
    clearTimeout(this.#idle.get(thread)?.end);
    this.#idle.delete(thread);
    return thread.close();
  }
}

type TimeLimits = Pick<Config, 'requestTimeout' | 'readerSeconds' | 'readerSecondsPerMb'>;

/** Seconds that reading a file may take, so that a small one cannot hold a thread for as long as a large one. */
export function readingTime(
  bytes: number,
  { requestTimeout, readerSeconds, readerSecondsPerMb }: TimeLimits,
): number {
  return Math.min(readerSeconds + (bytes / 1e6) * readerSecondsPerMb, requestTimeout + GRACE);
}

function remedyFor(seconds: number, { requestTimeout }: TimeLimits): string {
  const isBySize = seconds < requestTimeout + GRACE;
  const flags = isBySize ? '--reader-seconds or --reader-seconds-per-mb' : '--request-timeout';
  return `, the limit for a file of its size; the operator can raise it with ${flags}`;
}
