/** Something that reports failure by an event that ends the process if nobody listens. */
interface Emitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Listens, for as long as it lives, for errors that break a socket, stream, server, database client, worker thread or
 * child process. Required for every such object, even if its failure is also reported in another way; a wall checks
 * that.
 *
 * @param onError by default nothing, for cases where whoever waits for the result is also notified
 */
export function hold<Held extends Emitter>(held: Held, onError: (error: Error) => void = () => {}): Held {
  held.on('error', onError);
  return held;
}
