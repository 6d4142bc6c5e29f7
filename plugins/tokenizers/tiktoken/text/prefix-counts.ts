import { isPair } from '../scan/scanner.ts';
import { WHITE } from '../scan/unicode-classes.ts';
import { countPieces, type Encoding } from './encoding.ts';

/**
 * Counts the tokens of many spans of one text from prefix counts: the running totals at the ends of the
 * pieces of the whole text.
 *
 * A span `[start, end)` is a text of its own, so its pieces can differ from those of the whole text at both
 * boundaries, and nowhere else:
 *
 * - On the left: scanning has no memory. Once a piece of the span and a piece of the text end at the same
 *   place, all pieces that follow are the same.
 * - On the right: only `\s+(?!\S)` makes a piece depend on the text after it. All else in the patterns looks
 *   at nothing but what it takes, and if two ways to match are open, the order of the pattern decides. So a
 *   piece of the text that ends within the span comes out differently in the span only if everything from
 *   its start to the span's end is white space. Each piece that starts before the white space at the span's
 *   end, and ends within the span, is the same in both.
 *
 * The tokens between the two are a difference of totals; what lies outside them is scanned.
 */
export interface PrefixCounts {
  /** The tokens of `[start, end)` as a text of its own. */
  count(start: number, end: number): number;
}

/** Totals are kept relative to a block, so that two bytes hold them: a unit has at most three tokens. */
const BLOCK_BITS = 12;
const NO_PIECE_END = 0;
/** How many units of the text may be recorded for each unit of the spans that were asked for. */
const EAGERNESS = 4;

export function createPrefixCounts(encoding: Encoding, units: Uint16Array): PrefixCounts {
  const { scan, classes, table } = encoding;
  let marks = new Uint16Array(0);
  let blockTotals = new Float64Array(0);
  let recorded = 0;
  let allowance = 0;

  /** Whether the totals reach up to `end`; a single span far into a long text is not worth recording them. */
  function reaches(start: number, end: number): boolean {
    if (end <= recorded) return true;
    allowance += EAGERNESS * (end - start);
    if (end - recorded > allowance) return false;
    allowance -= end - recorded;
    if (marks.length === 0) {
      marks = new Uint16Array(units.length + 1);
      blockTotals = new Float64Array((units.length >> BLOCK_BITS) + 1).fill(-1);
      blockTotals[0] = 0;
      marks[0] = 1;
    }
    recorded = record(encoding, units, marks, blockTotals, recorded, end);
    return true;
  }

  return {
    count(start, end) {
      const splitsPair = end > 0 && isPair(units, end - 1, units.length);
      if (splitsPair || !reaches(start, end)) return countPieces(encoding, units, start, end);
      let tokens = 0;
      let at = start;
      while (at < end && marks[at] === NO_PIECE_END) {
        const pieceEnd = scan(units, classes, at, end);
        tokens += table.count(units, at, pieceEnd);
        at = pieceEnd;
      }
      const shared = lastSharedEnd(units, classes, marks, at, end);
      if (shared > at) tokens += totalAt(marks, blockTotals, shared) - totalAt(marks, blockTotals, at);
      return tokens + countPieces(encoding, units, shared, end);
    },
  };
}

/** Records totals from the piece end `from` until a piece ends at or after `until`, and returns that end. */
function record(
  { scan, classes, table }: Encoding,
  units: Uint16Array,
  marks: Uint16Array,
  blockTotals: Float64Array,
  from: number,
  until: number,
): number {
  let total = totalAt(marks, blockTotals, from);
  let at = from;
  while (at < until) {
    const pieceEnd = scan(units, classes, at, units.length);
    total += table.count(units, at, pieceEnd);
    const block = pieceEnd >> BLOCK_BITS;
    if ((blockTotals[block] as number) < 0) blockTotals[block] = total;
    marks[pieceEnd] = total - (blockTotals[block] as number) + 1;
    at = pieceEnd;
  }
  return at;
}

/** The tokens of all pieces before a piece end that is recorded. */
function totalAt(marks: Uint16Array, blockTotals: Float64Array, pieceEnd: number): number {
  return (blockTotals[pieceEnd >> BLOCK_BITS] as number) + (marks[pieceEnd] as number) - 1;
}

/** The last piece end of the text that is not before `from` and that the span's end does not move. */
function lastSharedEnd(
  units: Uint16Array,
  classes: Uint8Array,
  marks: Uint16Array,
  from: number,
  end: number,
): number {
  let at = end;
  while (at > from && ((classes[units[at - 1] as number] as number) & WHITE) !== 0) at -= 1;
  while (at > from && marks[at] === NO_PIECE_END) at -= 1;
  return at;
}
