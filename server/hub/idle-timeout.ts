/** Aborts a transfer when no bytes arrive for a while; one that proceeds may take as long as it likes. */
export interface IdleTimeout {
  /** Its reason is an IdleTimeoutError. */
  readonly signal: AbortSignal;
  /** Restarts the timer, because bytes have arrived. */
  reset(): void;
  end(): void;
}

export class IdleTimeoutError extends Error {}

export function startIdleTimeout(milliseconds: number): IdleTimeout {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new IdleTimeoutError(`it was silent for longer than ${milliseconds / 1000} s`));
  }, milliseconds);
  return { signal: controller.signal, reset: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
