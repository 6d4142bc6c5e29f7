/** Aborts a transfer when nothing has been heard for a while; one that goes on may take as long as it likes. */
export interface Silence {
  readonly signal: AbortSignal;
  /** Says that something was heard. */
  broken(): void;
  end(): void;
}

/** @param longest milliseconds */
export function watchSilence(longest: number): Silence {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), longest);
  return { signal: controller.signal, broken: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
