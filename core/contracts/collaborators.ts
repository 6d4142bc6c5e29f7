import type { EmbeddingProvider, EmbedRequest, ModelInfo } from './embedding.ts';
import type { ObjectSchema } from './manifest.ts';
import type { TokenizerProvider } from './tokenizer.ts';

/** Files of models and tokenizers on this machine, by the model's name. */
export interface ModelFiles {
  /**
   * The path of a model's file, or `undefined` if there is none: from a plugin's own folder `models`, from
   * the models folder, from the hub's local cache, or, if downloads are allowed, fetched from the hub
   * into the models folder. Finds nothing for a name that the hub cannot have: its names are
   * `name` or `owner/name`.
   */
  find(name: string, file: ModelFile, signal?: AbortSignal): Promise<string | undefined>;
  /** Names of the models that have the file on this machine, sorted. */
  names(file: string): Promise<string[]>;
}

/** A file that a model may have. */
export interface ModelFile {
  /** Its path within the model, with `/`: `onnx/model.onnx`. */
  readonly name: string;
  /** A download that is longer is refused. */
  readonly maxBytes: number;
  /** Rejects if the file at `path` is not what it should be; a download is then discarded. */
  readonly check?: (path: string) => Promise<void>;
}

/** Memory that threads can share: a buffer, or a shared `WebAssembly.Memory`, which has one. */
export type SharedMemory = SharedArrayBuffer | { readonly buffer: SharedArrayBuffer };

/** Tables that all threads of the process read, built once. */
export interface SharedBuffers {
  /**
   * Returns the buffer of that key. The first thread that asks builds it; the others wait and get the
   * same memory. A build that fails is reported to its own caller, and the next caller builds again.
   */
  get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>): Promise<Memory>;
  /** Says that this thread no longer uses the buffer; once no thread does, it is freed. */
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
 * Makes the check of a JSON Schema, as requests are checked. The check lists what is wrong with a value, one sentence
 * each without its full stop, and names what a misspelt name should be; it lists nothing for a value that fits.
 *
 * @param place put before the name of what is wrong: `zh.`
 */
export type CreateCheck = (schema: ObjectSchema) => (value: unknown, place?: string) => readonly string[];

/** How much goes into one call of a hosted model. */
export interface BatchLimits {
  readonly items: number;
  /** Estimated from the bytes of the texts. */
  readonly tokens: number;
}

/** An API that answers with JSON. */
export interface HostedApi {
  /** Name in errors. */
  readonly title: string;
  /** Address of the call. */
  readonly url: string;
  /** Environment variable of the address, for errors. */
  readonly urlVariable?: string;
  /** `POST` unless given. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Environment variable of the key, for errors. */
  readonly keyVariable: string;
  /** Empty if none is sent. */
  readonly key: string;
  /** The header that is the key; without it, the key is sent as `Authorization`. */
  readonly keyHeader?: string;
  /** What stands before the key in `Authorization`: `Bearer` unless given. */
  readonly keyScheme?: string;
}

/** One call of an API. */
export interface HostedCall<Value> {
  /** A `FormData` and a `Uint8Array` are sent as they are, all else as JSON; `GET` has none. */
  readonly body?: object | undefined;
  /** Further headers, with names in lower case: `content-type` of bytes. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wanted of an answer's JSON. Throws if it is not there. */
  readonly read: (answer: unknown) => Value;
  /** What an answer should hold, for errors: `a completion`. */
  readonly expected: string;
  /** Milliseconds after which the call is given up, its retries included. */
  readonly patience: number;
  /** Milliseconds that one try may take: a minute unless given. */
  readonly timeout?: number;
  /** Statuses after which it is tried again, as after a broken connection: 408, 429 and those from 500 on unless given. */
  readonly retried?: readonly number[];
  readonly signal: AbortSignal;
}

/** Why a call came to nothing. */
export interface HostedFailure {
  /**
   * `setup`: no call will succeed until the operator changes something; `unavailable`: the API could not be reached or was
   * too busy, retries included; `refused`: it did not take this call, or its answer holds something else.
   */
  readonly failure: 'setup' | 'unavailable' | 'refused';
  /** For callers, without the key; it may quote what the API said. */
  readonly message: string;
  /** The status of the answer, if that is what was wrong. */
  readonly status?: number | undefined;
}

/** What differs between the providers of hosted models. */
export interface HostedProvider extends HostedApi {
  /** Selects the provider for any name that begins with it: `openai/`. It is not sent. */
  readonly prefix: string;
  readonly known: readonly ModelInfo[];
  readonly limits: BatchLimits;
  /** What opens the tokenizer of its models, and the name of that tokenizer. */
  readonly tokenizer: { readonly provider: TokenizerProvider; readonly name: string };
  /** The body of a call, as JSON. */
  body(texts: readonly string[], model: string, purpose: EmbedRequest['purpose']): object;
  /** The vectors of an answer, in the order of the texts. Throws if it has none. */
  read(answer: unknown): readonly ArrayLike<number>[];
}

/** What plugins share that call models behind an API. */
export interface HostedModels {
  /** Calls an API, with retries. Rejects only with the reason of the call's signal. */
  ask<Value>(api: HostedApi, call: HostedCall<Value>): Promise<{ readonly value: Value } | HostedFailure>;
  /**
   * As `ask`, for calls whose every failure is an error: throws one for callers, with the message of the failure, and
   * `kit.refusedError` if the key is refused, after which a job does not try again.
   */
  demand<Value>(api: HostedApi, call: HostedCall<Value>): Promise<Value>;
  /** A provider of hosted models: batches within its limits, in order, with retries. */
  createProvider(provider: HostedProvider): EmbeddingProvider;
  /**
   * The given base URL, or the fallback, ready to be put before a path: http or https, without a slash at its end.
   *
   * @throws an error for the caller that names the variable
   */
  baseUrl(given: string | undefined, fallback: string, variable: string): string;
  /** The vectors of an answer as OpenAI gives it: `data` in any order, as numbers or as base64. */
  readData(answer: unknown): readonly ArrayLike<number>[];
}
