/** Settles like `work`. If the signal aborts first, throws the signal's reason at once and abandons the work. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    if (signal.aborted) giveUp();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Runs work with a new controller. The controller aborts when the signal aborts or when the work aborts it. */
export async function withLinkedStop<T>(
  signal: AbortSignal,
  run: (stop: AbortController) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await run(stop);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
