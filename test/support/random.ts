import { randomFrom } from '../../server/engine/operations/evaluation/bootstrap.ts';

/** A source of numbers in [0, 1): the same seed gives the same numbers on every machine. */
export type Random = () => number;

export const createRandom: (seed: number) => Random = randomFrom;

/** An integer from `low` to `high`, both included. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** Picks by Zipf's law: the n-th of the list about 1/n as often as the first. */
export function pickByRank<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(items.length ** random()) - 1] as T;
}
