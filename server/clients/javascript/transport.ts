import { errorOf, parsed } from './errors.ts';
import { linesIn, partsOf } from './lines.ts';
import { withRetries } from './retries.ts';
import type { CallSettings, ChunksmithOptions } from './settings.ts';
import { IdleTimeout } from './watch.ts';

const DEFAULT_URL = 'http://localhost:8000';
const DEFAULT_TIMEOUT = 310_000;
const DEFAULT_RETRIES = 4;

/** The media type of lines of JSON. */
export const LINES = 'application/x-ndjson';

/** A request as the methods make it. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Without the base URL. */
  readonly path: string;
  readonly query?: object;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: string | FormData | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request may be sent again if the connection is lost; default true. */
  readonly idempotent?: boolean;
}

/** Sends requests to one service. */
export class Transport {
  readonly #base: string;
  readonly #options: ChunksmithOptions;

  constructor(options: ChunksmithOptions) {
    const url = options.baseUrl ?? DEFAULT_URL;
    if (!URL.canParse(url)) throw new TypeError(`baseUrl ${url}: expected a URL such as ${DEFAULT_URL}`);
    this.#base = url.replace(/\/+$/, '');
    this.#options = options;
  }

  /** The JSON of an answer; undefined if it has no body. */
  async json<T>(call: Call, settings?: CallSettings): Promise<T> {
    const text = await this.text(call, settings);
    return (text === '' ? undefined : parsed(text, this.#base)) as T;
  }

  /** The text of a complete answer. */
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

  /** The lines of an answer as they arrive. Opening it is retried, reading it is not. */
  async *lines<T>(call: Call, settings: CallSettings = {}): AsyncGenerator<T, void, undefined> {
    const accepting = { ...call, headers: { accept: LINES, ...call.headers } };
    const { answer, watch } = await this.#opened(accepting, settings);
    yield* linesIn<T>(answer, watch);
  }

  /** The bytes of an answer as they arrive. Opening it is retried, reading it is not. */
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

  /** Does work again if that may help. */
  retried<T>(call: Pick<Call, 'idempotent'>, settings: CallSettings, work: () => Promise<T>): Promise<T> {
    const { signal, maxRetries = this.#options.maxRetries ?? DEFAULT_RETRIES } = settings;
    return withRetries({ maxRetries, isIdempotent: call.idempotent !== false, signal }, work);
  }

  watch({ signal, timeout = this.#options.timeout ?? DEFAULT_TIMEOUT }: CallSettings): IdleTimeout {
    return new IdleTimeout(signal, timeout);
  }

  /** Sends a request once. @throws ChunksmithError for an answer that is an error too */
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
      // Set by streams; otherwise the default.
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
