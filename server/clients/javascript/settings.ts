/** Where the service is, and how requests are made. */
export interface ChunksmithOptions {
  /** Default `http://localhost:8000`; may end with a path. */
  readonly baseUrl?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string;
  /**
   * Milliseconds that one try of a request may take, and the longest silence of a stream: 310,000 by default, a
   * little more than the service allows a request. 0 means no limit.
   */
  readonly timeout?: number;
  /** Maximum retries after the first try: 4 by default. */
  readonly maxRetries?: number;
  /** Used instead of the global one. */
  readonly fetch?: typeof fetch;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The last argument of each method. */
export interface CallSettings {
  /** Ends the request, its retries and its stream; the method rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of that of the client. */
  readonly timeout?: number | undefined;
  /** Instead of that of the client. */
  readonly maxRetries?: number | undefined;
  /** Sent with this request, besides those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the headers of the answer, such as `etag`, `x-request-id` and `x-embedding-model`. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}
