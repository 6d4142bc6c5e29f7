/** Runs work with a controller of its own, which aborts with the signal, and can be aborted alone. */
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
