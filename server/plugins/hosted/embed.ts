import pMap from 'p-map';
import type { BatchLimits, HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbedRequest, TextRefusal, Vectors } from '../../../core/contracts/embedding.ts';
import { exposedError } from '../../../core/errors.ts';
import { CallError, callWithRetries, type HostedTools } from './call.ts';

export interface Embedding {
  readonly provider: HostedProvider;
  readonly tools: HostedTools;
  /** The provider's name of the model. */
  readonly model: string;
  readonly texts: readonly string[];
  readonly request: EmbedRequest;
}

const MAX_CALLS = 4;

export async function embed(embedding: Embedding): Promise<Vectors> {
  const { provider, texts, request } = embedding;
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let done = 0;
  const embedBatch = async (batch: Batch) => {
    const rows = await callWithBatch(embedding, batch.texts, signal);
    done += rows.length;
    request.progress?.(done);
    return rows;
  };
  try {
    const batches = batchesOf(texts, provider.limits);
    const concurrency = MAX_CALLS;
    const rows = await pMap(batches, (batch) => callWithHalves(batch, embedBatch), { concurrency });
    return flatten(rows.flat(), provider.title);
  } catch (error) {
    request.signal.throwIfAborted();
    throw error;
  } finally {
    // The first failure stops the other calls.
    stop.abort();
  }
}

interface Batch {
  /** Index of the batch's first text among all texts. */
  readonly first: number;
  readonly texts: readonly string[];
}

type Rows = readonly ArrayLike<number>[];

function callWithBatch(
  { provider, tools, model, request }: Embedding,
  batch: readonly string[],
  signal: AbortSignal,
): Promise<Rows> {
  const body = provider.body(batch, model, request.purpose);
  const read = (answer: unknown) => {
    const rows = provider.read(answer);
    if (rows.length === batch.length) return rows;
    throw new Error(`${rows.length} vectors for ${batch.length} texts`);
  };
  return callWithRetries(provider, { body, read, expected: 'vectors', signal }, tools);
}

/** Calls the API with a batch. If the API refuses the content, calls with each half, down to single texts. */
async function callWithHalves(batch: Batch, call: (batch: Batch) => Promise<Rows>): Promise<Rows> {
  try {
    return await call(batch);
  } catch (error) {
    const { first, texts } = batch;
    if (!mayAcceptLess(error)) throw error;
    if (texts.length === 1) throw refusalOf(error, first);
    const middle = Math.ceil(texts.length / 2);
    const rows = await callWithHalves({ first, texts: texts.slice(0, middle) }, call);
    const rest = { first: first + middle, texts: texts.slice(middle) };
    return [...rows, ...(await callWithHalves(rest, call))];
  }
}

function refusalOf(error: CallError, refusedText: number): Error & TextRefusal {
  const refusal = exposedError(`${error.message}; the text may be too long for the model`, error);
  return Object.assign(refusal, { refusedText });
}

/** Whether the API refused the content of a batch. The API may then accept a smaller batch. */
const mayAcceptLess = (error: unknown): error is CallError =>
  error instanceof CallError && [400, 413, 422].includes(error.status ?? 0);

/** Estimate of the bytes of UTF-8 per token. Nearly all texts have more. */
const BYTES_PER_TOKEN = 3;

function batchesOf(texts: readonly string[], { items, tokens }: BatchLimits): Batch[] {
  const batches: Batch[] = [];
  let batch: string[] = [];
  let sum = 0;
  for (const [first, text] of texts.entries()) {
    const size = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    if (batch.length === 0 || batch.length === items || sum + size > tokens) {
      batch = [];
      batches.push({ first, texts: batch });
      sum = 0;
    }
    batch.push(text);
    sum += size;
  }
  return batches;
}

function flatten(rows: readonly ArrayLike<number>[], title: string): Vectors {
  const dimensions = rows[0]?.length ?? 0;
  const values = new Float32Array(rows.length * dimensions);
  rows.forEach((row, index) => {
    if (row.length !== dimensions) throw exposedError(`${title} returned vectors of different lengths`);
    values.set(row, index * dimensions);
  });
  return { dimensions, values };
}
