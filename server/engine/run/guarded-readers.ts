import type { ReadContext, Reader, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import { fromPlainError, type PlainError, refusedError } from '../../../core/errors.ts';
import { isGuarded, type PluginEntry, usedPlugins } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { unlessAborted } from '../abort.ts';
import type { GuardedContext } from '../read/readers.ts';
import { GuardedThread, OverLimitError, OverTimeError } from './guarded-thread.ts';
import { NOBODY, PriorityQueue } from './priority-queue.ts';

export interface ReaderThreadData {
  readonly config: Config;
  readonly readers: readonly PluginEntry[];
}

/** A request to read a file with the named reader. Without a file, the reader is only created. */
export interface ReadMessage {
  readonly reader: string;
  readonly file?: SourceFile;
  readonly options: ReadContext['options'];
}

/** The reply: the text and reported metadata, or an error as data. An error about a limit ends the thread. */
export type ReadOutcome =
  | { readonly read: ReadFile; readonly reported: readonly (readonly [name: string, value: string])[] }
  | { readonly isReady: true }
  | { readonly error: PlainError; readonly isOverLimit: boolean };

type ReaderThread = GuardedThread<ReadOutcome>;

const MEGABYTE = 1_048_576;
const MEMORY = 256 * MEGABYTE;
/** Maximum messages to a thread before it is replaced, in case a parser leaks memory. */
const MAX_FILES = 100;
/** Seconds that a reader may exceed its request's deadline, so that the deadline's own error comes first. */
const GRACE = 1;
/** Milliseconds after which an idle thread is ended. */
const MAX_IDLE = 60_000;

/**
 * Runs the `guarded` readers, each file in its own thread. A thread is ended if it exceeds its limits or if its
 * answer is no longer wanted. Otherwise the thread is kept for the next file, even after an error.
 */
export class GuardedReaders {
  readonly #config: Config;
  readonly #readers: readonly PluginEntry[];
  readonly #idle = new Map<ReaderThread, { readonly files: number; readonly end: NodeJS.Timeout }>();
  readonly #queue: PriorityQueue;
  readonly #closing = new AbortController();

  /** @param threads by default at least two, so that a stuck thread does not block all other files */
  constructor(config: Config, plugins: readonly PluginEntry[], threads = Math.max(config.workers, 2)) {
    this.#config = config;
    this.#readers = withUsed(plugins.filter(isGuarded), plugins);
    this.#queue = new PriorityQueue({ threads, queueSize: 0 });
  }

  /**
   * Creates a reader that passes each file to a thread. The plugin's reader is first created in a thread, to
   * report its errors. This thread is kept for the first file.
   *
   * @throws ServiceError `plugin_failed`, as for a reader that is not guarded
   */
  async reader({ manifest: { name } }: PluginEntry): Promise<Reader> {
    const outcome = await this.#ask(
      { reader: name, options: {} },
      this.#closing.signal,
      this.#config.requestTimeout,
    );
    if ('error' in outcome) throw fromPlainError(outcome.error);
    return { read: (file, context) => this.#read({ reader: name, file, options: context.options }, context) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#idle.keys()].map((thread) => this.#end(thread)));
  }

  async #read(
    { file, ...message }: ReadMessage & { readonly file: SourceFile },
    { report, signal, sender = NOBODY }: GuardedContext,
  ): Promise<ReadFile> {
    const { length } = file.bytes;
    const leave = await this.#queue.enter(length, signal, { urgency: 'patient', sender });
    const time = readingTime(length, this.#config);
    try {
      const outcome = await this.#ask({ ...message, file }, signal, time);
      if ('error' in outcome) throw fromPlainError(outcome.error);
      if ('isReady' in outcome) throw new Error('the thread gave an unexpected answer');
      for (const [reported, value] of outcome.reported) report(reported, value);
      return outcome.read;
    } catch (error) {
      if (!(error instanceof OverLimitError)) throw error;
      const remedy = error instanceof OverTimeError ? remedyFor(time, this.#config) : '';
      throw refusedError(`The file cannot be read: ${error.message}${remedy}.`, error);
    } finally {
      leave();
    }
  }

  /**
   * Asks a thread, and a new one if the first has read files before and has too little memory left.
   *
   * @param time seconds
   */
  async #ask(message: ReadMessage, signal: AbortSignal, time: number): Promise<ReadOutcome> {
    const { thread, files } = this.#take();
    const isUsed = files > 0;
    try {
      const outcome = await this.#askThread(thread, files, message, signal, time);
      if (!isUsed || !('error' in outcome && outcome.isOverLimit)) return outcome;
    } catch (error) {
      if (!isUsed || !(error instanceof OverLimitError) || error instanceof OverTimeError) throw error;
    }
    return this.#askThread(this.#start(), 0, message, signal, time);
  }

  async #askThread(
    thread: ReaderThread,
    files: number,
    { file, ...message }: ReadMessage,
    signal: AbortSignal,
    time: number,
  ): Promise<ReadOutcome> {
    const bytes = file === undefined ? undefined : Uint8Array.from(file.bytes);
    const own = {
      ...message,
      ...(file !== undefined && bytes !== undefined && { file: { ...file, bytes } }),
    };
    const moved = bytes === undefined ? [] : [bytes.buffer];
    try {
      const outcome = await unlessAborted(thread.ask(own, moved, time * 1000), signal);
      if (!('error' in outcome && outcome.isOverLimit)) this.#keep(thread, files + 1);
      return outcome;
    } finally {
      if (!this.#idle.has(thread)) void thread.close();
    }
  }

  #take(): { thread: ReaderThread; files: number } {
    for (const [thread, { files, end }] of this.#idle) {
      clearTimeout(end);
      this.#idle.delete(thread);
      if (!thread.isOver) return { thread, files };
    }
    return { thread: this.#start(), files: 0 };
  }

  #start(): ReaderThread {
    const entry = new URL(`../../reader-thread${MODULE_ENDING}`, import.meta.url);
    const limits = { memory: MEMORY, time: (this.#config.requestTimeout + GRACE) * 1000 };
    const given: ReaderThreadData = { config: this.#config, readers: this.#readers };
    return new GuardedThread(entry, limits, given);
  }

  #keep(thread: ReaderThread, files: number): void {
    if (files >= MAX_FILES || this.#closing.signal.aborted) return;
    this.#idle.set(thread, { files, end: setTimeout(() => this.#end(thread), MAX_IDLE).unref() });
  }

  #end(thread: ReaderThread): Promise<void> {
    clearTimeout(this.#idle.get(thread)?.end);
    this.#idle.delete(thread);
    return thread.close();
  }
}

/** Guarded readers and the readers that they use, directly or not. */
function withUsed(readers: readonly PluginEntry[], all: readonly PluginEntry[]): PluginEntry[] {
  const found = new Set(readers);
  for (const { manifest } of found)
    for (const id of usedPlugins(manifest)) {
      const used = all.find((plugin) => plugin.id === id);
      if (used !== undefined) found.add(used);
    }
  return [...found];
}

type TimeLimits = Pick<Config, 'requestTimeout' | 'readerSeconds' | 'readerSecondsPerMb'>;

/** Maximum seconds for reading a file. The limit grows with the file's size, up to the request's deadline. */
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
