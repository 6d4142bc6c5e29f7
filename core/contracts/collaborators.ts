import type { EmbeddingProvider, EmbedRequest, ModelInfo } from './embedding.ts';
import type { ObjectSchema } from './manifest.ts';
import type { TokenizerProvider } from './tokenizer.ts';

/** Files of models and tokenizers on this machine, by the model's name. */
export interface ModelFiles {
  /**
   * The path of a model's file, or `undefined` if it is missing: from the plugin's own folder `models`, from the
   * models folder, from the hub's local cache, or, if downloads are allowed, fetched from the hub into the models
   * folder. Names that the hub cannot have are never found: its names are `name` or `owner/name`.
   */
  find(name: string, file: ModelFile, signal?: AbortSignal): Promise<string | undefined>;
  /** Names of the models that have the file on this machine, sorted. */
  names(file: string): Promise<string[]>;
}

export interface ModelFile {
  /** Its path within the model, with `/`: `onnx/model.onnx`. */
  readonly name: string;
  /** A longer download is refused. */
  readonly maxBytes: number;
  /** Rejects if the file at `path` is invalid; a download is then discarded. */
  readonly check?: (path: string) => Promise<void>;
}

/** Memory that threads can share: a buffer, or a shared `WebAssembly.Memory`, which holds one. */
export type SharedMemory = SharedArrayBuffer | { readonly buffer: SharedArrayBuffer };

/** Tables that all threads of the process read, built once. */
export interface SharedBuffers {
  /**
   * Returns the buffer with that key. The first thread to ask builds it; the others wait and get the same memory. A
   * failed build rejects for its own caller, and the next caller builds again.
   */
  get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>): Promise<Memory>;
  /** Declares that this thread no longer uses the buffer; it is freed once no thread does. */
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
 * Compiles the check of a JSON Schema, as requests are checked. The check lists what is wrong with a value, one
 * sentence each without a full stop, with a suggestion for a misspelt name; the list is empty for a valid value.
 *
 * @param place put before the name of what is wrong: `zh.`
 */
export type CreateCheck = (schema: ObjectSchema) => (value: unknown, place?: string) => readonly string[];

/** How much fits in one call of a hosted model. */
export interface BatchLimits {
  readonly items: number;
  /** Estimated from the size of the texts in bytes. */
  readonly tokens: number;
}

/** An API that answers with JSON. */
export interface HostedApi {
  /** Name in errors. */
  readonly title: string;
  readonly url: string;
  /** Environment variable of the address, for errors. */
  readonly urlVariable?: string;
  /** Environment variable of the key, for errors. */
  readonly keyVariable: string;
  /** Empty if none is sent. */
  readonly key: string;
  /** The header that holds the key; by default, the key is sent as `Authorization`. */
  readonly keyHeader?: string;
  /** Put before the key in `Authorization`; default `Bearer`. */
  readonly keyScheme?: string;
}

export interface HostedCall<Value> {
  /** Default `POST`. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Appended to the address of the API; default nothing. */
  readonly path?: string;
  /** A `FormData` and a `Uint8Array` are sent as they are, all else as JSON; `GET` has none. */
  readonly body?: object | undefined;
  /** Further headers, with names in lower case: `content-type` of bytes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Extracts the result from an answer's JSON. Throws if it is missing. */
  readonly read: (answer: unknown) => Value;
  /** What an answer should contain, for errors: `a completion`. */
  readonly expected: string;
  /** Milliseconds after which the call is given up, including its retries; default three minutes. */
  readonly deadline?: number;
  /** Milliseconds that one try may take; default one minute. */
  readonly timeout?: number;
  /** Statuses that are retried, like a broken connection; default 408, 429 and 500 and above. */
  readonly retried?: readonly number[];
  readonly signal: AbortSignal;
}

export interface HostedFailure {
  /**
   * `setup`: no call will succeed until the operator changes something; `unavailable`: the API could not be reached
   * or was too busy, even after retries; `refused`: it rejected this call, or its answer has the wrong content.
   */
  readonly failure: 'setup' | 'unavailable' | 'refused';
  /** For callers, without the key; it may quote the API's message. */
  readonly message: string;
  /** The status of the answer, if that was the problem. */
  readonly status?: number | undefined;
}

/** What differs between the providers of hosted models. */
export interface HostedProvider extends HostedApi {
  /** Selects the provider for any name that begins with it: `openai/`. It is not sent. */
  readonly prefix: string;
  readonly known: readonly ModelInfo[];
  readonly limits: BatchLimits;
  /** The plugin that opens the tokenizer of its models, and the name of that tokenizer. */
  readonly tokenizer: { readonly provider: TokenizerProvider; readonly name: string };
  /** The body of a call, as JSON. */
  body(texts: readonly string[], model: string, purpose: EmbedRequest['purpose']): object;
  /** The vectors of an answer, in the order of the texts. Throws if they are missing. */
  read(answer: unknown): readonly ArrayLike<number>[];
}

/** Shared by plugins that call models behind an API. */
export interface HostedModels {
  /** Calls an API, with retries. Rejects only with the reason of the call's signal. */
  ask<Value>(api: HostedApi, call: HostedCall<Value>): Promise<{ readonly value: Value } | HostedFailure>;
  /**
   * Like `ask`, for calls where every failure is an error: throws one for callers with the message of the failure,
   * and `refusedError` if the key is refused, after which a job does not retry.
   */
  demand<Value>(api: HostedApi, call: HostedCall<Value>): Promise<Value>;
  /** A provider of hosted models: batches within its limits, in order, with retries. */
  createProvider(provider: HostedProvider): EmbeddingProvider;
  /**
   * The given base URL, or the fallback, ready to be put before a path: http or https, without a trailing slash.
   *
   * @throws an error for the caller that names the variable
   */
  baseUrl(given: string | undefined, fallback: string, variable: string): string;
  /** The vectors of an answer in OpenAI's format: `data` in any order, as numbers or as base64. */
  readData(answer: unknown): readonly ArrayLike<number>[];
}
