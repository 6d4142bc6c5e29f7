import { distance } from 'fastest-levenshtein';

const MOST_COMPARED = 64;

/**
 * The known name that is closest to a mistyped one, if one is close enough to be what was meant.
 *
 * @param most letters that may differ
 */
export function suggest(
  name: string,
  known: readonly string[],
  most = Math.max(2, Math.floor(name.length / 2)),
): string | undefined {
  if (name.length > MOST_COMPARED) return undefined;
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps < least) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}
