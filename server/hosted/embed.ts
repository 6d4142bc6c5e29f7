import pMap from 'p-map';
import type { HostedProvider } from '../../core/contracts/collaborators.ts';
import type { EmbedRequest, Vectors } from '../../core/contracts/embedding.ts';
import { exposedError } from '../../core/errors.ts';
import { type RetryLimits, withRetries } from '../retry.ts';
import { flatten } from './answers.ts';
import { type Batch, batchesOf, callWithHalves, RefusedError } from './batches.ts';
import { callProvider, TransientError } from './call.ts';

/** What the calls are made with; tests give their own. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Milliseconds that one call may take. */
  readonly timeout: number;
}

/** Texts that a hosted model embeds for a request. */
export interface Embedding {
  readonly provider: HostedProvider;
  readonly tools: HostedTools;
  /** The model's name as the provider knows it. */
  readonly model: string;
  readonly texts: readonly string[];
  readonly request: EmbedRequest;
}

/** Most calls of one request at once. */
const MOST_CALLS = 4;

/** Embeds texts in batches, in order, with retries. */
export async function embed(embedding: Embedding): Promise<Vectors> {
  const { provider, texts, request } = embedding;
  const rows: ArrayLike<number>[] = new Array(texts.length);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  let done = 0;
  const embedBatch = async (batch: Batch) => {
    const found = await callWithRetries(embedding, batch, signal);
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

function callWithRetries(
  { provider, tools, model, texts, request }: Embedding,
  batch: Batch,
  signal: AbortSignal,
) {
  const part = texts.slice(batch.start, batch.end);
  const body = provider.body(part, model, request.purpose);
  const { fetch, timeout, limits } = tools;
  return withRetries(limits, { isPassing: isTransient, retryAfter, signal }, () =>
    callProvider(provider, { body, count: part.length, signal, fetch, timeout }),
  );
}

const isTransient = (error: unknown): boolean => error instanceof TransientError;

const retryAfter = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfter : undefined;

/** The messages of both kinds are made for callers, without the key. */
function asExposed(error: unknown): unknown {
  return error instanceof TransientError || error instanceof RefusedError
    ? exposedError(error.message, error)
    : error;
}
