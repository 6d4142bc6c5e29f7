import pMap from 'p-map';
import type { BatchLimits, HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbedRequest, Vectors } from '../../../core/contracts/embedding.ts';
import { exposedError } from '../../../core/errors.ts';
import { callWithRetries, type HostedTools, RefusedError, TransientError } from './call.ts';

/** Texts that a hosted model embeds for a request. */
export interface Embedding {
  readonly provider: HostedProvider;
  readonly tools: HostedTools;
  /** The provider's name of the model. */
  readonly model: string;
  readonly texts: readonly string[];
  readonly request: EmbedRequest;
}

/** Maximum concurrent calls of one request. */
const MOST_CALLS = 4;

/** Embeds texts in batches, in order, with retries. */
export async function embed(embedding: Embedding): Promise<Vectors> {
  const { provider, texts, request } = embedding;
  const rows: ArrayLike<number>[] = new Array(texts.length);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let done = 0;
  const embedBatch = async (batch: Batch) => {
    const found = await callWithBatch(embedding, batch, signal);
    found.forEach((row, index) => {
      rows[batch.start + index] = row;
    });
    done += found.length;
    request.progress?.(done);
  };
  try {
    const batches = batchesOf(texts, provider.limits);
    await pMap(batches, (batch) => callWithHalves(batch, embedBatch), { concurrency: MOST_CALLS });
  } catch (error) {
    request.signal.throwIfAborted();
    throw asExposed(error);
  } finally {
    // The first failure ends the other calls.
    stop.abort();
  }
  return flatten(rows, provider.title);
}

function callWithBatch(
  { provider, tools, model, texts, request }: Embedding,
  batch: Batch,
  signal: AbortSignal,
) {
  const part = texts.slice(batch.start, batch.end);
  const body = provider.body(part, model, request.purpose);
  const read = (answer: unknown) => {
    const rows = provider.read(answer);
    if (rows.length === part.length) return rows;
    throw new Error(`${rows.length} vectors for ${part.length} texts`);
  };
  return callWithRetries(provider, { body, read, expected: 'vectors', signal }, tools);
}

/** The messages of both kinds are for callers, and do not contain the key. A refused batch is a single text. */
function asExposed(error: unknown): unknown {
  if (error instanceof TransientError) return exposedError(error.message, error);
  if (!(error instanceof RefusedError)) return error;
  return exposedError(`${error.message}; the text may be too long for the model`, error);
}

/** A stretch `[start, end)` of a list of texts. */
interface Batch {
  readonly start: number;
  readonly end: number;
}

/** Nearly all texts have at least this many bytes of UTF-8 per token. */
const BYTES_PER_TOKEN = 3;

/** Cuts a list of texts into batches within the limits. A text that exceeds them is a batch by itself. */
function batchesOf(texts: readonly string[], { items, tokens }: BatchLimits): Batch[] {
  const batches: Batch[] = [];
  let start = 0;
  let sum = 0;
  texts.forEach((text, index) => {
    const size = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    if (index > start && (index - start === items || sum + size > tokens)) {
      batches.push({ start, end: index });
      start = index;
      sum = 0;
    }
    sum += size;
  });
  if (start < texts.length) batches.push({ start, end: texts.length });
  return batches;
}

/** Calls with a batch and, if it is refused, with each half of it. A single refused text is an error. */
async function callWithHalves(batch: Batch, call: (batch: Batch) => Promise<void>): Promise<void> {
  try {
    await call(batch);
  } catch (error) {
    const { start, end } = batch;
    if (!(error instanceof RefusedError) || end - start === 1) throw error;
    const middle = Math.ceil((start + end) / 2);
    await callWithHalves({ start, end: middle }, call);
    await callWithHalves({ start: middle, end }, call);
  }
}

/**
 * A base URL ready to be put before a path: http or https, without a trailing slash.
 *
 * @throws an error for the caller that names the variable
 */
export function baseUrl(given: string | undefined, fallback: string, variable: string): string {
  const url = (given || fallback).replace(/\/+$/, '');
  if (/^https?:\/\/[^/]/.test(url)) return url;
  throw exposedError(`${variable} is not an http or https URL`);
}

/** The vectors of an answer in OpenAI's format: `data` in any order, as numbers or as base64. */
export function readData(answer: unknown): readonly ArrayLike<number>[] {
  const { data } = answer as { data: readonly { index?: number; embedding: unknown }[] };
  const rows: ArrayLike<number>[] = new Array(data.length);
  data.forEach(({ index, embedding }, place) => {
    rows[index ?? place] = typeof embedding === 'string' ? fromBase64(embedding) : (embedding as number[]);
  });
  for (let place = 0; place < rows.length; place++)
    if (!rows[place]?.length) throw new Error('a vector is missing');
  return rows;
}

/** One list of numbers from the vectors of all texts. */
function flatten(rows: readonly ArrayLike<number>[], title: string): Vectors {
  const dimensions = rows[0]?.length ?? 0;
  const values = new Float32Array(rows.length * dimensions);
  rows.forEach((row, index) => {
    if (row.length !== dimensions) throw exposedError(`${title} returned vectors of different lengths`);
    values.set(row, index * dimensions);
  });
  return { dimensions, values };
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
