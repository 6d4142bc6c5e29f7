import { ChunksmithError, errorOf, type FailureCode, parsed } from './errors.ts';
import { withRetries } from './retries.ts';

/** Connection settings of a client. */
export interface ChunksmithOptions {
  /** The URL of the service, optionally with a path. Default `http://localhost:8000`. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer <apiKey>`. */
  readonly apiKey?: string;
  /**
   * Maximum milliseconds for one try of a request, and between two parts of a stream. 0 means no limit. Default
   * 310,000: slightly more than the service's own time limit per request.
   */
  readonly timeout?: number;
  /** Maximum retries after the first try; default 4. */
  readonly maxRetries?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Headers that are sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings of one call: the last argument of each method. */
export interface CallSettings {
  /** Aborts the request, its retries and its stream. The method then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeout`. */
  readonly timeout?: number | undefined;
  /** Overrides the client's `maxRetries`. */
  readonly maxRetries?: number | undefined;
  /** Headers that are sent with this request, in addition to the client's headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the response headers, such as `etag`, `x-request-id` and `x-embedding-model`. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

export class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #stop = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #isOver = false;

  /** @param timeout milliseconds; 0 means no limit. @throws the reason of `outer` if `outer` is already aborted */
  constructor(outer: AbortSignal | undefined, timeout: number) {
    outer?.throwIfAborted();
    this.#outer = outer;
    this.#timeout = timeout;
    outer?.addEventListener('abort', this.#stop, { once: true });
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    clearTimeout(this.#timer);
    if (this.#timeout === 0 || this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.#timeout);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.#isOver = true;
    this.pause();
    this.#outer?.removeEventListener('abort', this.#stop);
    this.#controller.abort();
  }

  /** Converts an error of `fetch`. @param code used if neither the caller nor a timeout ended the request */
  errorFor(cause: unknown, code: FailureCode, url: string): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (cause instanceof ChunksmithError) return cause;
    const reason = reasonOf(cause);
    // Node's `fetch` has its own time limits.
    if (this.#isLate || /(HEADERS|BODY)_TIMEOUT/.test(reason)) {
      const time = this.#isLate ? `within the timeout of ${this.#timeout} ms` : `in time (${reason})`;
      return new ChunksmithError({ code: 'timeout', detail: `${url} did not answer ${time}.`, cause });
    }
    const detail =
      code === 'unreachable'
        ? `${url} cannot be reached, or closed the connection (${reason}): is the service running there?`
        : `The answer of ${url} was cut off (${reason}).`;
    return new ChunksmithError({ code, detail, cause });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return error.message;
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : error.message;
}

/**
 * Yields the JSON lines of an answer, no faster than the caller takes them. Leaving the loop ends the request.
 *
 * @throws ChunksmithError `cut_off` if the last line is incomplete
 */
export async function* linesIn<T>(answer: Response, watch: IdleTimeout): AsyncGenerator<T, void, undefined> {
  const { url } = answer;
  const decoder = new TextDecoder();
  // A long line arrives in many parts. Searching each part once, and joining once, takes linear time.
  let pieces: string[] = [];
  for await (const part of partsOf(answer, watch)) {
    const [end = '', ...begun] = decoder.decode(part, { stream: true }).split('\n');
    pieces.push(end);
    for (const next of begun) {
      const line = pieces.join('');
      pieces = [next];
      if (line !== '') yield parsed<T>(line, url);
    }
  }
  if (pieces.join('') !== '') {
    throw new ChunksmithError({ code: 'cut_off', detail: `The answer of ${url} was cut off within a line.` });
  }
}

/** Yields the bytes of an answer, no faster than the caller takes them. Leaving the loop ends the request. */
async function* partsOf(
  { body, url }: Response,
  watch: IdleTimeout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  try {
    while (reader !== undefined) {
      watch.touch();
      const { done, value } = await reader.read().catch((error) => {
        throw watch.errorFor(error, 'cut_off', url);
      });
      watch.pause();
      if (done) return;
      yield value;
    }
  } finally {
    watch.end();
  }
}

const DEFAULT_URL = 'http://localhost:8000';
const DEFAULT_TIMEOUT = 310_000;
const DEFAULT_RETRIES = 4;

export const LINES = 'application/x-ndjson';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: object;
  readonly json?: unknown;
  readonly body?: string | FormData | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request may be repeated after a lost connection; default true. */
  readonly idempotent?: boolean;
}

export class Transport {
  readonly #base: string;
  readonly #options: ChunksmithOptions;

  constructor(options: ChunksmithOptions) {
    const url = options.baseUrl ?? DEFAULT_URL;
    if (!URL.canParse(url)) throw new TypeError(`baseUrl ${url}: expected a URL such as ${DEFAULT_URL}`);
    this.#base = url.replace(/\/+$/, '');
    this.#options = options;
  }

  async json<T>(call: Call, settings?: CallSettings): Promise<T> {
    const text = await this.text(call, settings);
    return (text === '' ? undefined : parsed(text, this.#base)) as T;
  }

  text(call: Call, settings: CallSettings = {}): Promise<string> {
    return this.retried(call, settings, async () => {
      const watch = this.watch(settings);
      try {
        const answer = await this.open(call, settings, watch);
        return await answer.text().catch((error) => {
          throw watch.errorFor(error, 'cut_off', this.#base);
        });
      } finally {
        watch.end();
      }
    });
  }

  /** Yields the lines of an answer as they arrive. Retries only until the answer begins. */
  async *lines<T>(call: Call, settings: CallSettings = {}): AsyncGenerator<T, void, undefined> {
    const accepting = { ...call, headers: { accept: LINES, ...call.headers } };
    const { answer, watch } = await this.#opened(accepting, settings);
    yield* linesIn<T>(answer, watch);
  }

  /** Yields the bytes of an answer as they arrive. Retries only until the answer begins. */
  async *bytes(call: Call, settings: CallSettings = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { answer, watch } = await this.#opened(call, settings);
    yield* partsOf(answer, watch);
  }

  #opened(call: Call, settings: CallSettings): Promise<{ answer: Response; watch: IdleTimeout }> {
    return this.retried(call, settings, async () => {
      const watch = this.watch(settings);
      try {
        return { watch, answer: await this.open(call, settings, watch) };
      } catch (error) {
        watch.end();
        throw error;
      }
    });
  }

  retried<T>(call: Pick<Call, 'idempotent'>, settings: CallSettings, work: () => Promise<T>): Promise<T> {
    const { signal, maxRetries = this.#options.maxRetries ?? DEFAULT_RETRIES } = settings;
    return withRetries({ maxRetries, isIdempotent: call.idempotent !== false, signal }, work);
  }

  watch({ signal, timeout = this.#options.timeout ?? DEFAULT_TIMEOUT }: CallSettings): IdleTimeout {
    return new IdleTimeout(signal, timeout);
  }

  /** Sends a request without retries. @throws ChunksmithError if the request fails or the answer is not successful */
  async open(call: Call, settings: CallSettings, watch: IdleTimeout): Promise<Response> {
    const {
      method = 'POST',
      path,
      query = {},
      json,
      body = json === undefined ? null : JSON.stringify(json),
    } = call;
    const send = this.#options.fetch ?? fetch;
    const answer = await send(this.#base + path + search(query), {
      method,
      body,
      headers: this.#headers(call, settings),
      signal: watch.signal,
      // `fetch` requires this if the body is a stream.
      duplex: 'half',
    }).catch((error) => {
      throw watch.errorFor(error, 'unreachable', this.#base);
    });
    if (!answer.ok) throw await errorOf(answer);
    settings.onHeaders?.(answer.headers);
    return answer;
  }

  #headers(call: Call, settings: CallSettings): Record<string, string> {
    const { apiKey, headers } = this.#options;
    return {
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...call.headers,
      ...headers,
      ...settings.headers,
    };
  }
}

function search(query: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}
