/** Finding boundaries among the similarities at the gaps of a text. */

/**
 * The gaps where the similarity is lowest within its surroundings: below both neighbours, the ends of the
 * text counting as higher. Of equal gaps in a row the first one counts. They do not depend on a threshold.
 *
 * A single sentence tells too little of a topic: the first and the last gap count only if there is no other.
 */
export function findValleys(similarities: ArrayLike<number>): number[] {
  const valleys: number[] = [];
  let falls = true;
  let lowest = 0;
  for (let gap = 1; gap <= similarities.length; gap++) {
    const before = similarities[gap - 1] as number;
    const here = gap < similarities.length ? (similarities[gap] as number) : Number.POSITIVE_INFINITY;
    if (here < before) {
      falls = true;
      lowest = gap;
    } else if (here > before) {
      if (falls) valleys.push(lowest);
      falls = false;
    }
  }
  const last = similarities.length - 1;
  return last < 2 ? valleys : valleys.filter((gap) => gap > 0 && gap < last);
}

/** Mean less one standard deviation. */
export function usualLow(values: ArrayLike<number>): number {
  const count = values.length;
  let sum = 0;
  for (let index = 0; index < count; index++) sum += values[index] as number;
  const mean = sum / count;
  let squares = 0;
  for (let index = 0; index < count; index++) squares += ((values[index] as number) - mean) ** 2;
  return mean - Math.sqrt(squares / count);
}

/** A place where a text can be cut. */
export interface Candidate {
  /** The sentence that the cut stands before. */
  readonly place: number;
  /** The lower, the better a cut. */
  readonly similarity: number;
}

/**
 * Keeps candidates that are `minimum` sentences apart, and as far from both ends of a text of `sentences`;
 * the better one first. What is kept of some candidates is also kept of them together with worse ones, so
 * that a higher threshold never gives fewer chunks.
 */
export function keepApart(candidates: readonly Candidate[], minimum: number, sentences: number): number[] {
  const taken = new Uint8Array(sentences + 1);
  const places: number[] = [];
  const byMerit = minimum > 1 ? candidates.toSorted(compareMerit) : candidates;
  for (const { place } of byMerit) {
    if (place < minimum || place > sentences - minimum || taken[place] === 1) continue;
    places.push(place);
    taken.fill(1, Math.max(place - minimum + 1, 0), place + minimum);
  }
  return places.sort((a, b) => a - b);
}

function compareMerit(a: Candidate, b: Candidate): number {
  return a.similarity - b.similarity || a.place - b.place;
}
