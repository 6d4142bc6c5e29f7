/** An emitter whose unhandled `error` event ends the process. */
interface Emitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Handles errors of a socket, stream, server, database client, worker thread or child process for its whole life.
 * Required for every such object, even if its failure is also reported in another way; a test checks that.
 *
 * @param onError ignores the error by default, for cases where the waiting caller is notified anyway
 */
export function hold<Held extends Emitter>(held: Held, onError: (error: Error) => void = () => {}): Held {
  held.on('error', onError);
  return held;
}
