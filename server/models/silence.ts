/** Aborts a transfer when nothing has been heard for a while; one that goes on may take as long as it likes. */
export interface Silence {
  /** Its reason is a SilenceError. */
  readonly signal: AbortSignal;
  /** Says that something was heard. */
  broken(): void;
  end(): void;
}

export class SilenceError extends Error {}

/** @param longest milliseconds */
export function watchSilence(longest: number): Silence {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new SilenceError(`it was silent for longer than ${longest / 1000} s`));
  }, longest);
  return { signal: controller.signal, broken: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
