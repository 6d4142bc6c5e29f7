import { ServiceError } from '../../../core/errors.ts';
import type { BulkThreads } from '../../engine/run/bulk-threads.ts';
import type { Chunking } from '../chunk-documents.ts';
import { planShards } from '../plan-shards.ts';
import { HELD_BYTES, isForOneThread, wasLost } from '../range-task.ts';
import type { ShardRange, Skip, SourceDocument } from '../shard.ts';
import type { EarlierIds } from './changes.ts';
import type { LinesMessage, LinesWork } from './lines-task.ts';
import { readRange } from './read-range.ts';
import type { Report, Reporter, SkipsReport } from './reports.ts';
import type { ChunkSetup } from './setup.ts';
import { filesOf } from './source.ts';
import { type RangeTools, ThreadChoice } from './thread-choice.ts';

export interface RangeReports {
  readonly reporter: Reporter;
  readonly earlier: EarlierIds | undefined;
  readonly signal: AbortSignal;
  onSkipped(skips: SkipsReport): void;
}

/** Bytes of chunks that a range may hold until its turn. A thread with more pauses. */
const MAX_HELD = 4 * HELD_BYTES;

/**
 * Chunks a source in ranges, and yields reports about them in order. A few ranges are ahead of the first
 * unfinished one, so memory does not grow with the source.
 */
export async function* chunkRanges(
  setup: ChunkSetup,
  tools: RangeTools,
  reports: RangeReports,
): AsyncGenerator<Report> {
  const run = new Ranges(setup, tools, reports);
  const running: Range[] = [];
  try {
    for (;;) {
      while (running.length < run.ahead) {
        const next = await run.next();
        if (next === undefined) break;
        running.push(next);
      }
      const first = running.shift();
      if (first === undefined) return;
      yield* first.reports();
    }
  } finally {
    for (const range of running) range.stop();
  }
}

interface Range {
  reports(): AsyncGenerator<Report>;
  stop(): void;
}

class Ranges {
  readonly #setup: ChunkSetup;
  readonly #tools: RangeTools;
  readonly #reports: RangeReports;
  readonly #choice: ThreadChoice;
  readonly #inline: Chunking;
  readonly #fed: Chunking;
  readonly #planned: AsyncGenerator<ShardRange>;
  readonly #work: LinesWork;
  #hasThread = false;

  constructor(setup: ChunkSetup, tools: RangeTools, reports: RangeReports) {
    const { flags, source, spec, cradle } = setup;
    this.#setup = setup;
    this.#tools = tools;
    this.#reports = reports;
    this.#choice = new ThreadChoice(tools, source.total);
    this.#inline = this.#choice.measuring(tools.inline);
    this.#fed = this.#choice.measuring(tools.fed(() => this.#choice.pays));
    this.#planned = planShards(source.storage, {
      files: filesOf(source),
      format: spec.source.format,
      isInOrder: true,
      shardBytes: () => this.#choice.rangeBytes,
      shardDocuments: MAX_FILES,
    });
    this.#work = {
      spec,
      folder: source.storage.label,
      limit: cradle.config.maxBodyBytes,
      failFast: flags.failFast === true,
      wanted: { manifest: flags.manifest !== undefined, errors: flags.errors !== undefined },
      earlier: reports.earlier?.index,
    };
  }

  /** How many ranges may be in work. */
  get ahead(): number {
    return this.#choice.pays ? 2 * this.#tools.workers + 2 : 1;
  }

  async next(): Promise<Range | undefined> {
    const { value: range } = await this.#planned.next();
    if (range === undefined) return undefined;
    const { bulk, isForced } = this.#tools;
    if (!isForOneThread(range)) return this.#here(range, this.#fed);
    if (bulk === undefined || !this.#choice.pays) return this.#here(range, this.#inline);
    const { signal, onSkipped } = this.#reports;
    const onBegun = () => {
      this.#hasThread = true;
    };
    const thread = new ThreadRange(range, { bulk, work: this.#work, signal, onSkipped, onBegun });
    return {
      stop: () => thread.stop(),
      reports: () =>
        thread.reports(
          () => this.#hasThread || isForced,
          (from, isLost) => this.#chunkHere(range, isLost ? this.#fed : this.#inline, from),
        ),
    };
  }

  #here(range: ShardRange, chunking: Chunking): Range {
    return { stop() {}, reports: () => this.#chunkHere(range, chunking, 0) };
  }

  /** Chunks a range from this thread. @param from number of documents to leave out at its beginning */
  async *#chunkHere(range: ShardRange, chunking: Chunking, from: number): AsyncGenerator<Report> {
    const { source, spec, cradle } = this.#setup;
    const { reporter, signal, onSkipped } = this.#reports;
    const { limit } = this.#work;
    const skips: Skip[] = [];
    const lines = readRange(range, {
      storage: source.storage,
      spec,
      limit,
      cradle,
      signal,
      onSkipped: (skip) => skips.push(skip),
    });
    try {
      for await (const group of chunking(spec, without(from, lines), signal)) yield reporter.report(group);
    } finally {
      if (skips.length > 0) onSkipped(reporter.reportSkips(skips));
    }
  }
}

/** Maximum files of a range. */
const MAX_FILES = 500;

async function* without(
  count: number,
  batches: AsyncGenerator<readonly SourceDocument[]>,
): AsyncGenerator<readonly SourceDocument[]> {
  let left = count;
  for await (const batch of batches) {
    const rest = batch.slice(left);
    left = Math.max(0, left - batch.length);
    if (rest.length > 0) yield rest;
  }
}

interface ThreadRangeTools extends Pick<RangeReports, 'signal' | 'onSkipped'> {
  readonly bulk: BulkThreads;
  readonly work: LinesWork;
  /** Called once a thread works on the range. */
  onBegun(): void;
}

/** A range that a thread chunks. */
class ThreadRange implements Pick<Range, 'stop'> {
  readonly #stop = new AbortController();
  readonly #reports: Report[] = [];
  readonly #done: Promise<void>;
  #skips: SkipsReport | undefined;
  #held = 0;
  #documents = 0;
  #isOver = false;
  #news = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();
  readonly #tools: ThreadRangeTools;

  constructor(range: ShardRange, tools: ThreadRangeTools) {
    const { bulk, work, signal } = tools;
    this.#tools = tools;
    const either = AbortSignal.any([signal, this.#stop.signal]);
    this.#done = bulk
      .run({ kind: 'lines', range, work }, either, {
        onMessage: (message) => this.#receive(message as LinesMessage),
        shouldPause: () => this.#held > MAX_HELD,
        pause: async () => {
          if (this.#held > MAX_HELD) await this.#room.promise;
        },
      })
      .finally(() => {
        this.#isOver = true;
        this.#news.resolve();
      });
    // The promise is awaited in its turn. Until then, a rejection must not count as unhandled.
    this.#done.catch(() => undefined);
  }

  stop(): void {
    this.#stop.abort(new ServiceError('worker_lost', {}));
    this.#room.resolve();
  }

  /**
   * Yields the reports as they come.
   *
   * @param hasThread whether a thread works or will work on this range
   * @param here chunks the range in another way: before any thread has started, and after its thread was lost
   */
  async *reports(
    hasThread: () => boolean,
    here: (from: number, isLost: boolean) => AsyncGenerator<Report>,
  ): AsyncGenerator<Report> {
    if (!hasThread()) {
      this.stop();
      yield* here(0, false);
      return;
    }
    try {
      for (;;) {
        const report = this.#reports.shift();
        if (report !== undefined) {
          // Whoever writes the bytes frees their memory, and their length with it.
          const { length } = report.bytes;
          yield report;
          this.#documents += report.tally.documents;
          this.#free(length);
        } else if (this.#isOver) break;
        else await this.#news.promise;
        if (this.#reports.length === 0 && !this.#isOver) this.#news = Promise.withResolvers();
      }
    } finally {
      if (!this.#isOver) this.stop();
    }
    try {
      await this.#done;
    } catch (error) {
      if (!wasLost(error)) throw error;
      yield* here(this.#documents, true);
      return;
    }
    if (this.#skips !== undefined) this.#tools.onSkipped(this.#skips);
  }

  #receive(message: LinesMessage): void {
    if ('hasBegun' in message) this.#tools.onBegun();
    else if ('report' in message) {
      this.#held += message.report.bytes.length;
      this.#reports.push(message.report);
      this.#news.resolve();
    } else if ('skips' in message) this.#skips = message.skips;
  }

  #free(bytes: number): void {
    const wasFull = this.#held > MAX_HELD;
    this.#held -= bytes;
    if (!wasFull || this.#held > MAX_HELD) return;
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }
}
