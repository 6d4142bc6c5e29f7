import type { CutFinder } from '../../core/contracts/chunker.ts';
import { isShorter } from '../../core/engine/cuts/cuts.ts';

/**
 * Leaves out cuts that would make a piece of fewer than `minimum` code points; a short piece joins the next one, or
 * the previous one at the end of the stretch.
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
