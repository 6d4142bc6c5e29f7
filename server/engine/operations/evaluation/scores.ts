import { countWhile } from '../../../../core/engine/search.ts';
import { described, number } from '../../answer/schemas.ts';

/** A range `[start, end)` of characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Scores from 0 to 1 of chunks for questions, as Chroma's report on chunking defines them for characters. */
export const scores = {
  recall: described("The share of the answers' characters that were found.", number),
  precision: described('The share of found characters that belong to the answers.', number),
  iou: described(
    "The answers' characters that were found, divided by all characters that are in the answers or were found.",
    number,
  ),
  precision_at_full_recall: described(
    'The precision if exactly the chunks that overlap the answers were found.',
    number,
  ),
};

export type Scores = Readonly<Record<keyof typeof scores, number>>;

export const INTERVALS = ['recall', 'precision', 'iou'] as const;

/**
 * Scores the chunks found for a question. Characters of the answer count once, even if several chunks repeat
 * them. Other characters count each time they are found. Precision at full recall counts every character once,
 * including parts of the answer that are in no chunk.
 *
 * @param answer united ranges with at least one character
 * @param found found chunks
 * @param all all chunks that could be found
 */
export function scoresOf(answer: readonly Range[], found: readonly Range[], all: readonly Range[]): Scores {
  const wanted = lengthOf(answer);
  const got = lengthOf(found);
  const shared = sharedLength(answer, united(found));
  const touching = all.filter((chunk) => touches(chunk, answer));
  const inAny = sharedLength(answer, united(touching));
  return {
    recall: shared / wanted,
    precision: got === 0 ? 0 : shared / got,
    iou: shared / (wanted + got - shared),
    precision_at_full_recall: inAny / lengthOf(united([...touching, ...answer])),
  };
}

export function meanScores(all: readonly Scores[]): Scores {
  const mean = (name: keyof Scores) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  const names = Object.keys(scores) as (keyof Scores)[];
  return Object.fromEntries(names.map((name) => [name, mean(name)])) as Scores;
}

/** Unites overlapping and touching ranges, and sorts the result by position. */
export function united(ranges: readonly Range[]): Range[] {
  const rising = ranges.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
  const whole: { start: number; end: number }[] = [];
  for (const { start, end } of rising) {
    const last = whole.at(-1);
    if (last === undefined || last.end < start) whole.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return whole;
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function sharedLength(a: readonly Range[], b: readonly Range[]): number {
  let shared = 0;
  let atA = 0;
  let atB = 0;
  while (atA < a.length && atB < b.length) {
    const one = a[atA] as Range;
    const other = b[atB] as Range;
    shared += Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
    if (one.end < other.end) atA++;
    else atB++;
  }
  return shared;
}

function touches({ start, end }: Range, ranges: readonly Range[]): boolean {
  const first = ranges[countWhile(ranges, (range) => range.end <= start)];
  return first !== undefined && start < end && first.start < end;
}
