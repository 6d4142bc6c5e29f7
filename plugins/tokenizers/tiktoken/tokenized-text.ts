import type { TokenizedText } from '../../../core/kit.ts';
import { utf16Units } from '../../toolkit/running-total.ts';
import { afterCodePoint, codePointAt, isPair, type Scanner } from './patterns.ts';
import type { PieceTable } from './pieces.ts';
import type { Ranks } from './ranks.ts';
import { WHITE } from './unicode-classes.ts';

export interface Encoding {
  readonly scan: Scanner;
  readonly classes: Uint8Array;
  readonly ranks: Ranks;
  readonly table: PieceTable;
}

/** Shorter spans are counted faster by scanning than from prefix counts. */
const SHORT_SPAN = 32;

/** UTF-8 takes at most three bytes per UTF-16 unit, and each token has at least one byte. */
const TOKENS_PER_UNIT = 3;

export function createTokenizedText(encoding: Encoding, text: string): TokenizedText {
  const units = utf16Units(text);
  const countInText = createPrefixCounts(encoding, units);
  let tokenEnds: Uint32Array | undefined;
  let total: number | undefined;
  const last = { from: -1, to: -1, tokens: 0 };

  /** Caches the last result, because callers that divide a text often count the same span again. */
  function countSpan(from: number, to: number): number {
    if (last.from === from && last.to === to) return last.tokens;
    last.tokens = countInText(from, to);
    last.from = from;
    last.to = to;
    return last.tokens;
  }

  return {
    count(start, end) {
      const from = Math.max(start, 0);
      const to = Math.min(end, units.length);
      if (from === 0 && to === units.length) {
        // This call also records the totals: spans of the text are usually counted next.
        total ??= tokenEnds?.length ?? countInText(0, to);
        return total;
      }
      return to - from < SHORT_SPAN ? countPieces(encoding, units, from, to) : countSpan(from, to);
    },

    ends() {
      tokenEnds ??= readTokens(encoding, units, true);
      return tokenEnds;
    },
  };
}

function countPieces(
  { scan, classes, table }: Encoding,
  units: Uint16Array,
  start: number,
  end: number,
): number {
  let tokens = 0;
  for (let at = start; at < end; ) {
    const pieceEnd = scan(units, classes, at, end);
    tokens += table.count(units, at, pieceEnd);
    at = pieceEnd;
  }
  return tokens;
}

export function encodeText(encoding: Encoding, text: string): Uint32Array {
  return readTokens(encoding, utf16Units(text), false);
}

function readTokens(
  { scan, classes, table, ranks }: Encoding,
  units: Uint16Array,
  wantsEnds: boolean,
): Uint32Array {
  let ids: Uint32Array = new Uint32Array((units.length >> 2) + TOKENS_PER_UNIT);
  let tokens = 0;
  for (let at = 0; at < units.length; ) {
    const pieceEnd = scan(units, classes, at, units.length);
    ids = withRoom(ids, tokens + TOKENS_PER_UNIT * (pieceEnd - at));
    const count = table.write(units, at, pieceEnd, ids, tokens);
    if (wantsEnds) replaceByEnds(ranks, units, at, pieceEnd, ids, tokens, count);
    tokens += count;
    at = pieceEnd;
  }
  return ids.slice(0, tokens);
}

function replaceByEnds(
  { tokenStarts }: Ranks,
  units: Uint16Array,
  start: number,
  end: number,
  ids: Uint32Array,
  first: number,
  count: number,
): void {
  let at = start;
  let bytesRead = 0;
  let bytesTaken = 0;
  const last = first + count - 1;
  for (let token = first; token < last; token += 1) {
    const id = ids[token] as number;
    bytesTaken += (tokenStarts[id + 1] as number) - (tokenStarts[id] as number);
    while (bytesRead < bytesTaken) {
      bytesRead += utf8Length(codePointAt(units, at, end));
      at = afterCodePoint(units, at, end);
    }
    ids[token] = at;
  }
  ids[last] = end;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function withRoom(held: Uint32Array, needed: number): Uint32Array {
  if (needed <= held.length) return held;
  const grown = new Uint32Array(needed + (held.length >> 1));
  grown.set(held);
  return grown;
}

/**
 * Counts the tokens of many spans of one text from prefix counts: running totals at the ends of the text's
 * pieces. A span `[start, end)` counts as a separate text. Its pieces can therefore differ from those of the
 * text, but only at the two boundaries:
 *
 * - Left: scanning is stateless. Once a piece of the span and a piece of the text end at the same offset,
 *   all following pieces are the same.
 * - Right: only `\s+(?!\S)` makes a piece depend on the text after it. A piece is therefore the same in text
 *   and span if it starts before the white space at the span's end, and ends within the span.
 *
 * Tokens of the shared pieces are a difference of two totals. The pieces at the boundaries are scanned.
 */
type CountSpan = (start: number, end: number) => number;

/** Totals are relative to a block, so that they fit into two bytes. A unit has at most three tokens. */
const BLOCK_BITS = 12;
const NO_PIECE_END = 0;
/** How many UTF-16 units may be recorded for each unit of the requested spans. */
const EAGERNESS = 4;

function createPrefixCounts(encoding: Encoding, units: Uint16Array): CountSpan {
  const { scan, classes, table } = encoding;
  let marks = new Uint16Array(0);
  let blockTotals = new Float64Array(0);
  let recorded = 0;
  let allowance = 0;

  /** Records totals up to `end` if requests so far justify it. Returns whether the totals are recorded. */
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

  return (start, end) => {
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
  };
}

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

function totalAt(marks: Uint16Array, blockTotals: Float64Array, pieceEnd: number): number {
  return (blockTotals[pieceEnd >> BLOCK_BITS] as number) + (marks[pieceEnd] as number) - 1;
}

/** The last piece end of the text, at or after `from`, that the span's end does not affect. */
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
