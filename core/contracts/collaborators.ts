import type { EmbeddingProvider, EmbedRequest, ModelInfo } from './embedding.ts';
import type { ObjectSchema } from './manifest.ts';
import type { TokenizerProvider } from './tokenizer.ts';

/** Files of models and tokenizers on this machine, by the model's name. */
export interface ModelFiles {
  /**
   * Finds the path of a model's file; `undefined` if the file is missing. The search covers the plugin's own folder
   * `models`, the models folder and the hub's local cache. If downloads are allowed, a missing file is fetched from
   * the hub into the models folder. A name must have the form `name` or `owner/name`.
   */
  find(name: string, file: ModelFile, signal?: AbortSignal): Promise<string | undefined>;
  /** Returns the sorted names of the models that have the file on this machine. */
  names(file: string): Promise<string[]>;
}

export interface ModelFile {
  /** Path within the model, separated by `/`: `onnx/model.onnx`. */
  readonly name: string;
  /** Maximum size of a download; a larger one is refused. */
  readonly maxBytes: number;
  /** Rejects if the file at `path` is invalid. An invalid download is discarded. */
  readonly check?: (path: string) => Promise<void>;
}

/** Memory that threads can share: a buffer, or the buffer of a shared `WebAssembly.Memory`. */
export type SharedMemory = SharedArrayBuffer | { readonly buffer: SharedArrayBuffer };

/** Tables that are built once and shared by all threads of the process. */
export interface SharedBuffers {
  /**
   * Returns the buffer of a key. The first thread that requests a key builds its buffer; other threads wait. If a
   * build fails, only the thread that built rejects, and the next thread builds again.
   */
  get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>): Promise<Memory>;
  /** Declares that this thread no longer uses the buffer. The buffer is freed when no thread uses it. */
  release(key: string): void;
}

/** Writes the service's log as JSON lines. The text of a request is never logged. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * Compiles a check of a JSON Schema, with the rules that also apply to requests. The check returns one sentence per
 * problem, without a full stop; none if the value is valid. For a misspelt name, it suggests the right one.
 *
 * @param place prefix for the names of members in problems: `zh.`
 */
export type CreateCheck = (schema: ObjectSchema) => (value: unknown, place?: string) => readonly string[];

/** Limits of one call to a hosted model. */
export interface BatchLimits {
  readonly items: number;
  /** Maximum tokens of all texts of a call, estimated from their size in bytes. */
  readonly tokens: number;
}

/** An HTTP API with JSON answers. */
export interface HostedApi {
  /** Name of the API in error messages. */
  readonly title: string;
  readonly url: string;
  /** Environment variable of the API's address, for error messages. */
  readonly urlVariable?: string;
  /** Environment variable of the API's key, for error messages. */
  readonly keyVariable: string;
  /** The API key; if it is empty, no key is sent. */
  readonly key: string;
  /** The header of the key; default `Authorization`. */
  readonly keyHeader?: string;
  /** Scheme of the key in `Authorization`; default `Bearer`. */
  readonly keyScheme?: string;
}

export interface HostedCall<Value> {
  /** Default `POST`. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Path below the API's address; default empty. */
  readonly path?: string;
  /** A `FormData` or a `Uint8Array` is sent unchanged, other values as JSON. `GET` has no body. */
  readonly body?: object | undefined;
  /** Further headers, with names in lower case, such as `content-type` for bytes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Extracts the result from an answer's JSON. Throws if the result is missing. */
  readonly read: (answer: unknown) => Value;
  /** The expected content of an answer, for error messages: `a completion`. */
  readonly expected: string;
  /** Deadline of the call in milliseconds, including its retries; default three minutes. */
  readonly deadline?: number;
  /** @deprecated the name of `deadline` in contract 1 */
  readonly patience?: number;
  /** Timeout of one attempt in milliseconds; default one minute. */
  readonly timeout?: number;
  /** Statuses that are retried, as connection failures always are; default 408, 429, and 500 and above. */
  readonly retried?: readonly number[];
  readonly signal: AbortSignal;
}

export interface HostedFailure {
  /**
   * Kind of failure:
   *
   * - `setup`: calls fail until the operator changes the configuration
   * - `unavailable`: the API was unreachable or overloaded, even after retries
   * - `refused`: the API rejected this call, or its answer has the wrong content
   */
  readonly failure: 'setup' | 'unavailable' | 'refused';
  /** Message for callers. It may quote the API's message, but never contains the key. */
  readonly message: string;
  /** Status of the answer; undefined if there is no answer, or if its content is the problem. */
  readonly status?: number | undefined;
}

/** What `createProvider` must know about a provider of hosted models. */
export interface HostedProvider extends HostedApi {
  /** A model's name with this prefix selects the provider: `openai/`. The prefix is not sent. */
  readonly prefix: string;
  readonly known: readonly ModelInfo[];
  readonly limits: BatchLimits;
  /** The tokenizer plugin and the name of its tokenizer that the provider's models use. */
  readonly tokenizer: { readonly provider: TokenizerProvider; readonly name: string };
  /** The body of a call, sent as JSON. */
  body(texts: readonly string[], model: string, purpose: EmbedRequest['purpose']): object;
  /** Extracts the vectors from an answer, in the order of the texts. Throws if vectors are missing. */
  read(answer: unknown): readonly ArrayLike<number>[];
}

/** Tools for plugins that call hosted models. */
export interface HostedModels {
  /** Calls an API, with retries. Rejects only if the call's signal aborts, with the reason of the signal. */
  ask<Value>(api: HostedApi, call: HostedCall<Value>): Promise<{ readonly value: Value } | HostedFailure>;
  /**
   * Calls an API like `ask`, but throws every failure as an error for callers. If the API refuses the key, the error
   * is a `refusedError`, so jobs do not retry the call.
   */
  demand<Value>(api: HostedApi, call: HostedCall<Value>): Promise<Value>;
  /** Creates a provider of hosted models. It batches within the limits, keeps the order of texts and retries. */
  createProvider(provider: HostedProvider): EmbeddingProvider;
  /**
   * Returns `given` or, if it is undefined, the fallback: an http or https URL without a trailing slash.
   *
   * @throws Error for callers that names the variable, if the URL is invalid
   */
  baseUrl(given: string | undefined, fallback: string, variable: string): string;
  /** Extracts the vectors from an answer in OpenAI's format: `data` in any order, as numbers or as base64. */
  readData(answer: unknown): readonly ArrayLike<number>[];
}
