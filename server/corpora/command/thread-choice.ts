import type { BulkThreads } from '../../engine/run/bulk-threads.ts';
import type { Chunking } from '../chunk-documents.ts';

export interface RangeTools {
  /** Threads that read and chunk ranges by themselves; undefined if this thread does all work. */
  readonly bulk: BulkThreads | undefined;
  /** Chunks in this thread. */
  readonly inline: Chunking;
  /** Reads in this thread, and feeds documents to all threads, or chunks them here while `areThreads` is false. */
  fed(areThreads: () => boolean): Chunking;
  readonly workers: number;
  /** Whether the user has asked for threads. Otherwise they start once they are expected to save time. */
  readonly isForced: boolean;
}

/** Bytes of a range: of the first ones, of those that this thread measures, and of those for threads. */
const FIRST_BYTES = 65_536;
const MEASURED_BYTES = 262_144;
const MAX_BYTES = 1_048_576;
/** Ranges that a thread should get at least, so that all end at about the same time. */
const RANGES_EACH = 8;

/**
 * The time that threads must save, and work until a rate is believed, because code becomes fast only after a while.
 * Both are multiples of the time that this process took to start. Threads take about that time to start and become fast.
 */
const MIN_SAVED = 2.4;
const MIN_DONE = 0.7;
/** What a thread does beside others, of what it does alone: threads share memory and caches. */
const EFFICIENCY = 0.84;
const MIN_RANGES = 3;

/** Decides whether threads start, by the expected time of the work that is left. */
export class ThreadChoice {
  readonly #tools: Pick<RangeTools, 'bulk' | 'workers'>;
  readonly #total: number;
  /** Seconds that this process took to start. */
  readonly #start = performance.now() / 1000;
  #done = 0;
  #seconds = 0;
  #measured = 0;
  #lastRate = Number.POSITIVE_INFINITY;
  /** Work that is too little to tell a rate. */
  #rest = { bytes: 0, seconds: 0 };
  /** Whether the rest of the work should be done by threads. */
  pays: boolean;

  /** @param total bytes of the source; undefined if unknown, because there are many files */
  constructor(tools: Pick<RangeTools, 'bulk' | 'workers' | 'isForced'>, total = Number.POSITIVE_INFINITY) {
    this.#tools = tools;
    this.#total = total;
    this.pays = tools.bulk !== undefined && tools.isForced;
  }

  /** Bytes of the next range. */
  get rangeBytes(): number {
    const { bulk, workers } = this.#tools;
    if (bulk === undefined) return 32 * MAX_BYTES;
    if (!this.pays) return this.#measured < 2 ? FIRST_BYTES : MEASURED_BYTES;
    return Math.min(Math.max(Math.ceil(this.#total / (RANGES_EACH * workers)), FIRST_BYTES), MAX_BYTES);
  }

  /** Measures work that this thread does. */
  measuring(chunking: Chunking): Chunking {
    const note = (bytes: number, seconds: number) => this.#note(bytes, seconds);
    return async function* (...given) {
      let begin = performance.now();
      for await (const group of chunking(...given)) {
        const bytes = group.documents.reduce((sum, { source }) => sum + source.size, 0);
        note(bytes, (performance.now() - begin) / 1000);
        yield group;
        begin = performance.now();
      }
    };
  }

  #note(moreBytes: number, moreSeconds: number): void {
    const { bulk, workers } = this.#tools;
    if (this.pays || bulk === undefined || workers < 2) return;
    this.#done += moreBytes;
    this.#seconds += moreSeconds;
    const bytes = this.#rest.bytes + moreBytes;
    const seconds = this.#rest.seconds + moreSeconds;
    this.#rest = bytes < FIRST_BYTES ? { bytes, seconds } : { bytes: 0, seconds: 0 };
    if (bytes < FIRST_BYTES) return;
    this.#measured++;
    const rate = Math.min(seconds / bytes, this.#lastRate);
    this.#lastRate = seconds / bytes;
    if (this.#measured < MIN_RANGES || this.#seconds < MIN_DONE * this.#start) return;
    const left = (this.#total - this.#done) * rate;
    this.pays = left * (1 - 1 / (EFFICIENCY * workers)) > MIN_SAVED * this.#start;
  }
}
