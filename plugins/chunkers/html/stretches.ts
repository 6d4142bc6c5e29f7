import type { Span } from '../../../core/contracts/chunk.ts';
import { countWhile } from '../../../core/engine/search.ts';

/** Those of rising stretches that overlap `[start, end)`. */
export function within<T extends Span>(stretches: readonly T[], start: number, end: number): T[] {
  const found: T[] = [];
  for (let index = firstBehind(stretches, start); index < stretches.length; index++) {
    const one = stretches[index];
    if (one === undefined || one.start >= end) break;
    found.push(one);
  }
  return found;
}

/** The one of rising stretches that holds an offset. */
export function at<T extends Span>(stretches: readonly T[], offset: number): T | undefined {
  const one = stretches[firstBehind(stretches, offset)];
  return one !== undefined && one.start <= offset ? one : undefined;
}

/** The index of the first that ends behind an offset. */
function firstBehind(stretches: readonly Span[], offset: number): number {
  return countWhile(stretches, ({ end }) => end <= offset);
}
