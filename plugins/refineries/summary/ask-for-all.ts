import type { Outcome } from './completions.ts';

/** Calls in a row that found the API unavailable, at least: after so many, and one for each at once, it is left alone. */
const MOST_UNAVAILABLE = 3;

/**
 * Asks about each chunk, so many at once. After too many calls in a row that found the API unavailable the others are not
 * made, and have the same outcome: a server that is down must not hold a request for hours.
 *
 * @throws what `ask` throws; it is not called again then
 */
export async function askForAll<Item>(
  items: readonly Item[],
  concurrency: number,
  ask: (item: Item, index: number) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const { default: pMap } = await import('p-map');
  const most = Math.max(concurrency, MOST_UNAVAILABLE);
  let unavailable: Outcome[] = [];
  const askNext = async (item: Item, index: number): Promise<Outcome> => {
    const [down] = unavailable;
    if (down !== undefined && unavailable.length >= most) return down;
    const outcome = await ask(item, index);
    if ('value' in outcome) unavailable = [];
    else if (outcome.failure === 'unavailable') unavailable.push(outcome);
    return outcome;
  };
  return pMap(items, askNext, { concurrency });
}
