import { countPieces, type Encoding } from './encoding.ts';
import { WHITE } from './unicode-classes.ts';

/**
 * Counts the tokens of many spans of one text, by the running totals at the ends of the whole text's pieces.
 *
 * A span `[start, end)` is a text of its own, so its pieces may differ from those of the whole text at both
 * edges, and nowhere else:
 *
 * - From the left: scanning has no memory. Once a piece of the span ends where a piece of the text ends, both
 *   go on alike.
 * - From the right: what a piece takes depends on the text after it only through `\s+(?!\S)`; all else in the
 *   patterns looks at nothing but what it takes, and of two ways to match that are both open the order of the
 *   pattern decides. A piece of the text that ends within the span can thus only come out otherwise in the
 *   span where white space takes everything from its start to the span's end. So each piece that starts
 *   before the white space at the span's end, and ends within the span, is the same in both.
 *
 * What lies between the two is a difference of totals; the edges are scanned.
 */
export interface PieceTrail {
  /** The tokens of `[start, end)` as a text of its own. */
  count(start: number, end: number): number;
}

/** Totals are kept relative to a block, so that two bytes hold them: a unit has at most three tokens. */
const BLOCK_BITS = 12;
const NO_PIECE_END = 0;
/** How much of the text may be recorded for each unit of the spans asked for. */
const EAGERNESS = 4;

export function createPieceTrail(encoding: Encoding, units: Uint16Array): PieceTrail {
  const { scan, classes, table } = encoding;
  let marks = new Uint16Array(0);
  let blockTotals = new Float64Array(0);
  let recorded = 0;
  let total = 0;
  let allowance = 0;

  /** Goes along the text until a piece ends at or after `until`. */
  function record(until: number): void {
    if (marks.length === 0) {
      marks = new Uint16Array(units.length + 1);
      blockTotals = new Float64Array((units.length >> BLOCK_BITS) + 1).fill(-1);
      blockTotals[0] = 0;
      marks[0] = 1;
    }
    while (recorded < until) {
      const pieceEnd = scan(units, classes, recorded, units.length);
      total += table.count(units, recorded, pieceEnd);
      const block = pieceEnd >> BLOCK_BITS;
      if ((blockTotals[block] as number) < 0) blockTotals[block] = total;
      marks[pieceEnd] = total - (blockTotals[block] as number) + 1;
      recorded = pieceEnd;
    }
  }

  function totalAt(pieceEnd: number): number {
    return (blockTotals[pieceEnd >> BLOCK_BITS] as number) + (marks[pieceEnd] as number) - 1;
  }

  function isPieceEnd(offset: number): boolean {
    return marks[offset] !== NO_PIECE_END;
  }

  /** The last piece end of the text that is not before `from` and that the span's end does not move. */
  function lastSharedEnd(from: number, end: number): number {
    let at = end;
    while (at > from && ((classes[units[at - 1] as number] as number) & WHITE) !== 0) at -= 1;
    while (at > from && !isPieceEnd(at)) at -= 1;
    return at;
  }

  /** Whether the totals reach up to `end`; a single span far into a long text is not worth recording them. */
  function reaches(start: number, end: number): boolean {
    if (end <= recorded) return true;
    allowance += EAGERNESS * (end - start);
    if (end - recorded > allowance) return false;
    allowance -= end - recorded;
    record(end);
    return true;
  }

  return {
    count(start, end) {
      if (splitsPair(units, end) || !reaches(start, end)) return countPieces(encoding, units, start, end);
      let tokens = 0;
      let at = start;
      while (at < end && !isPieceEnd(at)) {
        const pieceEnd = scan(units, classes, at, end);
        tokens += table.count(units, at, pieceEnd);
        at = pieceEnd;
      }
      const shared = lastSharedEnd(at, end);
      if (shared > at) tokens += totalAt(shared) - totalAt(at);
      return tokens + countPieces(encoding, units, shared, end);
    },
  };
}

function splitsPair(units: Uint16Array, offset: number): boolean {
  return (
    ((units[offset] as number) & 0xfc00) === 0xdc00 && ((units[offset - 1] as number) & 0xfc00) === 0xd800
  );
}
