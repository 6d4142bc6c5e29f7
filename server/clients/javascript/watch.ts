import { ChunksmithError, type FailureCode } from './errors.ts';

/** Ends a request: when its caller wants it, or when nothing has happened for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #stop = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #isOver = false;

  /** @param timeout milliseconds; 0 is no limit. @throws the reason of a signal that is aborted already */
  constructor(outer: AbortSignal | undefined, timeout: number) {
    outer?.throwIfAborted();
    this.#outer = outer;
    this.#timeout = timeout;
    outer?.addEventListener('abort', this.#stop, { once: true });
    this.touch();
  }

  /** For what is to end with the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has happened: the time begins anew. */
  touch(): void {
    clearTimeout(this.#timer);
    if (this.#timeout === 0 || this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.#timeout);
  }

  /** The other side is not waited for, until the next `touch`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The request is over, and is ended if it is not. */
  end(): void {
    this.#isOver = true;
    this.pause();
    this.#outer?.removeEventListener('abort', this.#stop);
    this.#controller.abort();
  }

  /** What to throw for something that the runtime threw. @param code if it is neither the caller's wish nor the time */
  errorFor(cause: unknown, code: FailureCode, url: string): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (cause instanceof ChunksmithError) return cause;
    const reason = reasonOf(cause);
    // Node has time limits of its own.
    if (this.#isLate || /(HEADERS|BODY)_TIMEOUT/.test(reason)) {
      const time = this.#isLate ? `within the timeout of ${this.#timeout} ms` : `in time (${reason})`;
      return new ChunksmithError({ code: 'timeout', detail: `${url} did not answer ${time}.`, cause });
    }
    const detail = code === 'unreachable' ? UNREACHABLE : 'The answer of {url} was cut off ({reason}).';
    const filled = detail.replace('{url}', () => url).replace('{reason}', () => reason);
    return new ChunksmithError({ code, detail: filled, cause });
  }
}

const UNREACHABLE =
  '{url} cannot be reached, or has closed the connection ({reason}): is the service running there?';

/** `fetch` of Node has the code of what failed in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return error.message;
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : error.message;
}
