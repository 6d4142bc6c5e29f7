import { setTimeout as wait } from 'node:timers/promises';

const FIRST_DELAY = 4;
const LONGEST_DELAY = 100;

/**
 * Does work again while it fails with a passing error, after pauses that grow and differ.
 *
 * @param patience milliseconds after which the last error is thrown
 */
export async function retry<T>(
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  patience = 5000,
): Promise<T> {
  const end = performance.now() + patience;
  for (let delay = FIRST_DELAY; ; delay = Math.min(delay * 2, LONGEST_DELAY)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > end) throw error;
    }
    await wait(delay * (0.5 + Math.random()));
  }
}
