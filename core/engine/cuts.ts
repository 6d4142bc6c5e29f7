import type { CutFinder } from '../contracts/chunker.ts';
import { countUpTo } from './search.ts';
import { splitsCodePoint } from './text.ts';

/** Cuts after every run of white space. */
export const cutAtWhiteSpace: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  let wasWhiteSpace = false;
  for (let at = start; at < end; at++) {
    const isNow = isWhiteSpace(text.charCodeAt(at));
    if (wasWhiteSpace && !isNow) cuts.push(at);
    wasWhiteSpace = isNow;
  }
  return cuts;
};

/** Cuts after every code point. */
export const cutAtCodePoints: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  for (let at = start + 1; at < end; at++) if (!splitsCodePoint(text, at)) cuts.push(at);
  return cuts;
};

/** Cuts at the given rising offsets; one may repeat. */
export function cutAtOffsets(offsets: ArrayLike<number>): CutFinder {
  return (text, start, end) => {
    const cuts: number[] = [];
    for (let index = countUpTo(offsets, start); index < offsets.length; index++) {
      const offset = offsets[index] as number;
      if (offset >= end) break;
      if (offset !== cuts.at(-1)) addCut(cuts, text, offset, start, end);
    }
    return cuts;
  };
}

/**
 * Leaves out the cuts that would make a piece of fewer than `minimum` code points; a short piece
 * joins the one after it, or at the end of the stretch the one before it.
 */
export function withMinimumPiece(find: CutFinder, minimum: number): CutFinder {
  if (minimum <= 1) return find;
  return (text, start, end) => keepMinimumPieces(find(text, start, end), minimum, text, start, end);
}

function keepMinimumPieces(
  found: readonly number[],
  minimum: number,
  text: string,
  start: number,
  end: number,
): number[] {
  const cuts: number[] = [];
  let last = start;
  for (const cut of found) {
    if (!isShorter(text, last, cut, minimum)) {
      cuts.push(cut);
      last = cut;
    }
  }
  if (cuts.length > 0 && isShorter(text, last, end, minimum)) cuts.pop();
  return cuts;
}

/**
 * Whether `text.slice(start, end)` has fewer than `minimum` code points; reads at most `2 * minimum` units, and no more
 * than it takes to tell.
 */
export function isShorter(text: string, start: number, end: number, minimum: number): boolean {
  // So many units may be second halves of pairs; of the units that are left, every other one at most is.
  let spare = end - start - minimum;
  if (spare < 0) return true;
  for (let at = start + 1; 2 * spare < end - at; at++) {
    if (splitsCodePoint(text, at) && --spare < 0) return true;
  }
  return false;
}

/** Whether a unit is Unicode white space; all of it lies in the basic plane. */
export function isWhiteSpace(unit: number): boolean {
  if (unit < 0x85) return unit === 32 || (unit >= 9 && unit <= 13);
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Adds a cut, unless it is an end of the stretch or falls inside a code point. */
export function addCut(cuts: number[], text: string, cut: number, start: number, end: number): void {
  if (cut > start && cut < end && !splitsCodePoint(text, cut)) cuts.push(cut);
}
