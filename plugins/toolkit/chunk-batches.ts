import type { SinkChunk } from '../../core/contracts/sink.ts';
import { exposedError } from '../../core/errors.ts';

interface ChunkLimits {
  /** The required length of each vector; undefined if chunks must not have vectors. */
  readonly dimensions: number | undefined;
  readonly chunks: number;
  /** Approximate maximum bytes of a batch. A chunk that is larger is a batch of its own. */
  readonly bytes: number;
}

/**
 * Divides chunks into batches for a database, in order. If several chunks have the same id, only the last is kept.
 *
 * @throws Error for callers if a vector is missing or has the wrong length, or if a chunk has a lone surrogate
 */
export function batchChunks(chunks: readonly SinkChunk[], limits: ChunkLimits): SinkChunk[][] {
  const batches: SinkChunk[][] = [];
  let batch: SinkChunk[] = [];
  let sum = 0;
  for (const chunk of lastOfEach(chunks)) {
    checkVector(chunk, limits.dimensions);
    const bytes = checkedSize(chunk);
    if (batch.length > 0 && (batch.length === limits.chunks || sum + bytes > limits.bytes)) {
      batches.push(batch);
      batch = [];
      sum = 0;
    }
    batch.push(chunk);
    sum += bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

function lastOfEach(chunks: readonly SinkChunk[]): Iterable<SinkChunk> {
  return new Map(chunks.map((chunk) => [chunk.id, chunk])).values();
}

function checkVector({ id, embedding }: SinkChunk, dimensions: number | undefined): void {
  if (embedding?.length === dimensions) return;
  const had = embedding === null ? 'has no vector' : `has a vector of ${embedding.length} dimensions`;
  const wanted = dimensions === undefined ? 'none is expected' : `one of ${dimensions} is expected`;
  throw exposedError(`The chunk ${id} ${had}, but ${wanted}`);
}

/** A lone surrogate as an escape sequence in JSON. After an escaped backslash, `ud800` is ordinary text. */
const ESCAPED_HALF = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;
const BYTES_PER_UNIT = 2;
const BYTES_PER_DIMENSION = 12;

function checkedSize({ id, document_id, text, embedding, fields }: SinkChunk): number {
  const json = JSON.stringify(fields);
  if (!text.isWellFormed() || !document_id.isWellFormed() || ESCAPED_HALF.test(json)) {
    throw exposedError(`The chunk ${id} has half of a surrogate pair, which cannot be stored as UTF-8`);
  }
  const units = id.length + document_id.length + text.length + json.length;
  return units * BYTES_PER_UNIT + (embedding?.length ?? 0) * BYTES_PER_DIMENSION;
}
