import { setTimeout as wait } from 'node:timers/promises';

/** A machine that has much else to do is slow, not broken. */
const MAX_WAITING = 60_000;

/** Asks every few milliseconds until the answer is neither undefined nor false, and throws if that takes too long. */
export async function until<T>(
  ask: () => T | Promise<T>,
  milliseconds = MAX_WAITING,
): Promise<Exclude<T, undefined | false>> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await wait(20)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
  }
  throw new Error(`not within ${milliseconds} ms`);
}
