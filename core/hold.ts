/** What tells of its failure by an event that ends the process if nobody listens. */
interface Emitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Listens, as long as it lives, to what breaks a socket, stream, server, database client, worker thread or child process.
 * Whoever makes one does it by this, also if its failure is told in another way too: a wall holds that.
 *
 * @param onError by default nothing, where whoever waits for an answer is told of the failure as well
 */
export function hold<Held extends Emitter>(held: Held, onError: (error: Error) => void = () => {}): Held {
  held.on('error', onError);
  return held;
}
