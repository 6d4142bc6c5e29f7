import { fromPlainError } from '../../core/errors.ts';
import {
  addTotals,
  allTotals,
  NO_TOTALS,
  TOTAL_NAMES,
  type Totals,
} from '../engine/answer/response-metadata.ts';
import type { LineOutcome } from '../engine/read/plan.ts';
import { addLeftOut } from '../engine/read/readers.ts';
import { type ByteBudget, HeldBytes } from '../engine/run/byte-budget.ts';
import { LineSource } from '../engine/run/line-reader.ts';
import type { Runner } from '../engine/run/runner.ts';
import { answerLines } from '../engine/run/stream.ts';
import type { Service } from '../engine/service.ts';
import type { JobCounts } from '../store/jobs/contract.ts';
import type { JobSpec } from './jobs/spec.ts';
import type { SourceDocument } from './shard.ts';
import { PieceReleaser } from './storage/buffer-release.ts';

/**
 * Chunks documents in order, as a job specifies, in this process or on a server.
 *
 * @throws ServiceError errors of the job, and what the source throws
 * @throws the signal's reason once it aborts
 */
export type Chunking = (
  spec: JobSpec,
  lines: AsyncGenerator<readonly SourceDocument[]>,
  signal: AbortSignal,
) => AsyncGenerator<ChunkedDocuments>;

export interface LocalChunkingTools {
  readonly service: Pick<Service, 'readStreamPlan'>;
  readonly runner: Pick<Runner, 'run' | 'throughput'>;
  readonly slots: number;
  /** The byte budget for documents and their chunks in memory. */
  readonly byteBudget: ByteBudget;
}

export interface ChunkedDocuments {
  readonly bytes: Uint8Array;
  readonly documents: readonly ChunkedDocument[];
}

const LINE_FEED = 0x0a;

export function* withLines({ bytes, documents }: ChunkedDocuments) {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const next = () => {
    const from = at;
    at = all.indexOf(LINE_FEED, from) + 1;
    return all.subarray(from, at);
  };
  for (const document of documents) yield { document, lines: Array.from({ length: document.chunks }, next) };
}

export interface ChunkedDocument extends Totals {
  readonly source: SourceDocument;
  readonly id: string | undefined;
  /** Number of chunks; 0 if the document failed. */
  readonly chunks: number;
  readonly ids: readonly string[];
  readonly error: DocumentError | undefined;
}

export type Tally = { -readonly [C in Exclude<keyof JobCounts, 'skipped'>]: JobCounts[C] };

export function addDocument(tally: Tally, document: ChunkedDocument): void {
  const { source, chunks, error } = document;
  tally.documents++;
  tally.chunks += chunks;
  tally.bytes += source.size;
  Object.assign(tally, addTotals(tally, document));
  if (error !== undefined) tally.failed++;
  else tally.left_out = addLeftOut(tally.left_out, source.leftOut ?? {});
}

/** Adds the counts of one tally to another. */
export function addTally(tally: Tally, more: Readonly<Tally>): void {
  for (const name of COUNTED) tally[name] += more[name];
  tally.left_out = addLeftOut(tally.left_out, more.left_out);
}

/** What a tally has gained since an earlier one, without what readers have left out. */
export function gainOf(now: Readonly<Tally>, before: Readonly<Tally>): Readonly<Tally> {
  const gains = COUNTED.map((name) => [name, now[name] - before[name]] as const);
  return { ...now, ...Object.fromEntries(gains), left_out: {} };
}

const COUNTED = ['documents', 'failed', 'chunks', 'bytes', ...TOTAL_NAMES] as const;

export interface DocumentError {
  readonly status: number;
  readonly detail: string;
}

/**
 * Chunks in this thread or in worker threads, as the runner decides. Reading waits for processing, and processing waits for the
 * consumer, so memory does not grow with the source.
 */
export function localChunking(tools: LocalChunkingTools): Chunking {
  return (...given) => chunkDocuments(tools, ...given);
}

async function* chunkDocuments(
  { service, runner, slots, byteBudget }: LocalChunkingTools,
  { task, options, group, target }: JobSpec,
  lines: AsyncGenerator<readonly SourceDocument[]>,
  signal: AbortSignal,
): AsyncGenerator<ChunkedDocuments> {
  const read = service.readStreamPlan(task, Buffer.from(JSON.stringify(options)));
  const writes = group === 'document' ? 'documents' : 'chunks';
  const packsVectors = target.sink !== undefined || target.format === 'parquet';
  const plan = { ...read, writes, tellsIds: true, packsVectors } as const;
  const held = new HeldBytes(byteBudget, TIMEOUT, signal);
  const reader = new SourceLines(whileThereIsRoom(lines, held, signal));
  const answers = answerLines({
    plan,
    reader,
    runner,
    slots,
    signal,
    rate: runner.throughput.of(plan.stages),
    urgency: 'bulk',
    onAnswer() {},
    onFailure() {},
    onHeld: (bytes) => held.set(bytes),
  });
  try {
    for await (const { bytes, outcomes } of answers) {
      const sources = reader.settle(outcomes.length);
      const documents = outcomes.map((outcome, index) =>
        documentOf(sources[index] as SourceDocument, outcome),
      );
      const { length } = bytes;
      byteBudget.force(length);
      try {
        yield { bytes, documents };
      } finally {
        byteBudget.giveBack(length);
      }
    }
  } finally {
    held.end();
    await reader.close();
  }
}

/**
 * Seconds that a job waits for room in the byte budget. Then it reads on regardless, because a job, unlike a
 * request, cannot be refused.
 */
const TIMEOUT = 10;

async function* whileThereIsRoom(
  batches: AsyncGenerator<readonly SourceDocument[]>,
  held: HeldBytes,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceDocument[]> {
  for await (const batch of batches) {
    yield batch;
    await held.room().catch(() => signal.throwIfAborted());
  }
}

function documentOf(source: SourceDocument, outcome: LineOutcome): ChunkedDocument {
  const { id } = outcome;
  if ('error' in outcome) return failedDocument(source, id, fromPlainError(outcome.error));
  const { chunks, ids = [] } = outcome;
  return { source, id, chunks, ...allTotals(outcome), ids, error: undefined };
}

export function failedDocument(
  source: SourceDocument,
  id: string | undefined,
  error: DocumentError,
): ChunkedDocument {
  const { place, isOfMany = false } = source;
  const isFile = place.byte === undefined && place.row === undefined && !isOfMany;
  return {
    source,
    id: id ?? (isFile ? place.source : undefined),
    chunks: 0,
    ...NO_TOTALS,
    ids: [],
    error,
  };
}

export class SourceLines extends LineSource {
  readonly #batches: AsyncIterator<readonly SourceDocument[]>;
  readonly #sources: SourceDocument[] = [];
  readonly #releaser = new PieceReleaser();
  #isReading = false;

  constructor(batches: AsyncIterator<readonly SourceDocument[]>) {
    super();
    this.#batches = batches;
  }

  async read(): Promise<void> {
    this.#isReading = true;
    const { done, value } = await this.#batches.next().finally(() => {
      this.#isReading = false;
    });
    if (done) {
      this.isOver = true;
      return;
    }
    for (const source of value) {
      this.add(source.document);
      this.#sources.push(source);
    }
  }

  /** Takes the next finished documents and frees their memory, so their content must no longer be used. */
  settle(count: number): SourceDocument[] {
    const settled = this.#sources.splice(0, count);
    for (const { document } of settled) this.#releaser.done(document);
    return settled;
  }

  async close(): Promise<void> {
    const closed = this.#batches.return?.();
    if (this.#isReading) closed?.catch(() => undefined);
    else await closed;
  }
}
