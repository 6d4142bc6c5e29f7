import { countWhile } from '../../../../core/engine/search.ts';

/** A stretch `[start, end)` of characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The same characters as rising ranges of which no two overlap or touch. */
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

/** Number of characters in the ranges; overlapping ones count repeatedly. */
export function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Number of characters in both. @param a united ranges @param b united ranges */
export function sharedLength(a: readonly Range[], b: readonly Range[]): number {
  let [shared, atA, atB] = [0, 0, 0];
  while (atA < a.length && atB < b.length) {
    const [one, other] = [a[atA] as Range, b[atB] as Range];
    shared += Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
    if (one.end < other.end) atA++;
    else atB++;
  }
  return shared;
}

/** Whether a range overlaps any of the others. @param ranges united */
export function touches({ start, end }: Range, ranges: readonly Range[]): boolean {
  const first = ranges[countWhile(ranges, (range) => range.end <= start)];
  return first !== undefined && start < end && first.start < end;
}
