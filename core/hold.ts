/** An emitter whose unhandled `error` event ends the process. */
interface Emitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Handles `error` events of a socket, stream, server, database client, worker thread or child process for its whole
 * life. Required for every such object, even if failures are also reported in another way; a test checks this.
 *
 * @param onError default: ignores the error, for objects whose callers receive failures in another way
 */
export function hold<Held extends Emitter>(held: Held, onError: (error: Error) => void = () => {}): Held {
  held.on('error', onError);
  return held;
}
