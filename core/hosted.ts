import {
  type Batch,
  type BatchLimits,
  batchesOf,
  callWithHalves,
  inParallel,
  RefusedError,
} from './batches.ts';
import type {
  EmbeddingModel,
  EmbeddingProvider,
  EmbedRequest,
  ModelInfo,
  TokenizerProvider,
  Vectors,
} from './contracts.ts';
import { exposedError, reasonOf } from './errors.ts';
import { type RetryLimits, TransientError, withRetries } from './retry.ts';

/** What differs between the providers of hosted models. */
export interface HostedProvider {
  /** Name in errors. */
  readonly title: string;
  /** What selects the provider for any name: `openai/`. It is not sent. */
  readonly prefix: string;
  readonly known: readonly ModelInfo[];
  /** Address of the call; `base` ends without a slash. */
  readonly url: string;
  readonly keyVariable: string;
  readonly key: string;
  readonly limits: BatchLimits;
  body(texts: readonly string[], model: string, purpose: EmbedRequest['purpose']): object;
  /** The vectors of an answer, in the order of the texts. Throws where there are none. */
  read(answer: unknown): readonly ArrayLike<number>[];
}

/** What the calls are made with; given in tests. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly retries: RetryLimits;
  /** Milliseconds that one call may take. */
  readonly timeout: number;
}

const TOOLS: HostedTools = {
  fetch: (...args) => fetch(...args),
  retries: { tries: 5, firstDelay: 500, longestDelay: 60_000 },
  timeout: 60_000,
};

/** Calls of one request that are under way at once. */
const MOST_CALLS = 4;
/** Longest part of a provider's own message that is shown. */
const LONGEST_MESSAGE = 200;

/**
 * A provider of hosted models: batches within its limits, in order, with retries. Its models count tokens with
 * `cl100k_base`, which is theirs or close to it.
 */
export function createHostedProvider(
  provider: HostedProvider,
  tokenizers: TokenizerProvider,
  tools: HostedTools = TOOLS,
): EmbeddingProvider {
  return {
    list: () => provider.known,
    async open(name): Promise<EmbeddingModel> {
      return {
        name,
        bytes: 0,
        async tokenizer() {
          const tokenizer = await tokenizers.open('cl100k_base');
          if (tokenizer === undefined) throw new Error('There is no cl100k_base.');
          return tokenizer;
        },
        embed: (texts, request) => embed(provider, name, texts, request, tools),
      };
    },
  };
}

async function embed(
  provider: HostedProvider,
  name: string,
  texts: readonly string[],
  request: EmbedRequest,
  tools: HostedTools,
): Promise<Vectors> {
  const model = name.startsWith(provider.prefix) ? name.slice(provider.prefix.length) : name;
  const rows: ArrayLike<number>[] = new Array(texts.length);
  let done = 0;
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const callOnce = async ({ start, end }: Batch) => {
    const part = texts.slice(start, end);
    const body = provider.body(part, model, request.purpose);
    const found = await withRetries(tools.retries, signal, () =>
      call(provider, body, part.length, signal, tools),
    );
    found.forEach((row, index) => {
      rows[start + index] = row;
    });
    done += part.length;
    request.progress?.(done);
  };
  try {
    await inParallel(batchesOf(texts, provider.limits), MOST_CALLS, (batch) =>
      callWithHalves(batch, callOnce),
    );
  } catch (error) {
    request.signal.throwIfAborted();
    throw error instanceof TransientError || error instanceof RefusedError
      ? exposedError(error.message, error)
      : error;
  } finally {
    stop.abort();
  }
  return flatten(rows, provider.title);
}

/** One call. What may pass is a `TransientError`, what fewer texts may mend a `RefusedError`. */
async function call(
  provider: HostedProvider,
  body: object,
  count: number,
  signal: AbortSignal,
  { fetch, timeout }: HostedTools,
): Promise<readonly ArrayLike<number>[]> {
  const { title, url, key } = provider;
  const deadline = AbortSignal.timeout(timeout);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    text = await response.text();
  } catch (cause) {
    signal.throwIfAborted();
    const reason = deadline.aborted ? `no answer within ${timeout / 1000} s` : 'the connection failed';
    throw new TransientError(`${title}: ${reason}`, undefined, cause);
  }
  if (!response.ok) throw failureOf(provider, response, text, count);
  try {
    const rows = provider.read(JSON.parse(text));
    if (rows.length === count) return rows;
    throw new Error(`${rows.length} vectors for ${count} texts`);
  } catch (cause) {
    throw exposedError(
      `${title} answered with something else than vectors: ${withoutKey(reasonOf(cause), key)}`,
      cause,
    );
  }
}

function failureOf(
  { title, key, keyVariable }: HostedProvider,
  response: Response,
  text: string,
  count: number,
): Error {
  const { status } = response;
  const said = withoutKey(messageOf(text), key).slice(0, LONGEST_MESSAGE);
  const what = `${title} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403) return exposedError(`${what}; check ${keyVariable}`);
  if (status === 404) return exposedError(`${what}; check the model's name and the base URL`);
  if (status === 408 || status === 429 || status >= 500)
    return new TransientError(what, retryAfterOf(response));
  if (status === 400 || status === 413 || status === 422) {
    return new RefusedError(count === 1 ? `${what}; the text may be too long for the model` : what);
  }
  return exposedError(what);
}

/** The message in an answer of a provider, wherever it stands. */
function messageOf(text: string): string {
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | undefined)?.message ?? error ?? message ?? detail;
    return typeof inner === 'string' ? inner : JSON.stringify(inner ?? '');
  } catch {
    return text;
  }
}

function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '***');
}

/** Milliseconds of `Retry-After`: seconds, or a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(milliseconds, 0) : undefined;
}

function flatten(rows: readonly ArrayLike<number>[], title: string): Vectors {
  const dimensions = rows[0]?.length ?? 0;
  const values = new Float32Array(rows.length * dimensions);
  rows.forEach((row, index) => {
    if (row.length !== dimensions) throw exposedError(`${title} answered with vectors of different lengths`);
    values.set(row, index * dimensions);
  });
  return { dimensions, values };
}

/** A base URL as it is put before a path: http or https, without a slash at its end. */
export function baseUrl(given: string | undefined, fallback: string, variable: string): string {
  const url = (given || fallback).replace(/\/+$/, '');
  if (/^https?:\/\/[^/]/.test(url)) return url;
  throw exposedError(`${variable} is not an http or https URL`);
}

/** The vectors of an answer as OpenAI gives it: `data` in any order, as numbers or as base64. */
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

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
