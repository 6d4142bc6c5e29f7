import type { CutFinder } from '../../core/contracts/chunker.ts';
import { isShorter } from '../../core/engine/cuts/cuts.ts';

/**
 * Drops cuts that would make a piece of fewer than `minimum` code points. A short piece is joined to the next piece;
 * at the end of the stretch, it is joined to the previous piece.
 */
export function withMinimumPiece(find: CutFinder, minimum: number): CutFinder {
  if (minimum <= 1) return find;
  return (text, start, end) => keepMinimumPieces(find(text, start, end), minimum, text, start, end);
}

/** Changes `cuts` in place: a second list would take as long as finding the cuts. */
function keepMinimumPieces(
  cuts: number[],
  minimum: number,
  text: string,
  start: number,
  end: number,
): number[] {
  let kept = 0;
  let last = start;
  for (let index = 0; index < cuts.length; index++) {
    const cut = cuts[index] as number;
    if (isShorter(text, last, cut, minimum)) continue;
    cuts[kept++] = cut;
    last = cut;
  }
  if (kept > 0 && isShorter(text, last, end, minimum)) kept--;
  cuts.length = kept;
  return cuts;
}
