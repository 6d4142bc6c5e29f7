import { ChunksmithError, type FailureCode } from './errors.ts';

/** Ends a request when its caller aborts it, or when nothing has happened for too long. */
export class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #stop = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #isOver = false;

  /** @param timeout milliseconds; 0 means no limit. @throws the reason of a signal that is already aborted */
  constructor(outer: AbortSignal | undefined, timeout: number) {
    outer?.throwIfAborted();
    this.#outer = outer;
    this.#timeout = timeout;
    outer?.addEventListener('abort', this.#stop, { once: true });
    this.touch();
  }

  /** For whatever has to end with the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** There was activity: the time starts over. */
  touch(): void {
    clearTimeout(this.#timer);
    if (this.#timeout === 0 || this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.#timeout);
  }

  /** Stops the clock until the next `touch`, because nothing is expected from the other side. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The request is over, and is aborted if it still runs. */
  end(): void {
    this.#isOver = true;
    this.pause();
    this.#outer?.removeEventListener('abort', this.#stop);
    this.#controller.abort();
  }

  /**
   * The error to throw for one of the runtime. @param code if neither the caller nor the timeout ended the request
   */
  errorFor(cause: unknown, code: FailureCode, url: string): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (cause instanceof ChunksmithError) return cause;
    const reason = reasonOf(cause);
    // Node has time limits of its own.
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

/** Node's `fetch` has the error code in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return error.message;
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : error.message;
}
