import type { TokenizedText } from '../../../../core/contracts/tokenizer.ts';
import { afterCodePoint, codePointAt } from '../scan/scanner.ts';
import type { Ranks } from '../vocabulary/ranks.ts';
import { countPieces, type Encoding } from './encoding.ts';
import { createPrefixCounts } from './prefix-counts.ts';

/** Spans shorter than this are counted faster by scanning than from prefix counts. */
const SHORT_SPAN = 32;

/** UTF-8 takes at most three bytes for a UTF-16 unit, and a token at least one. */
const TOKENS_PER_UNIT = 3;

export function createTokenizedText(encoding: Encoding, text: string): TokenizedText {
  const units = toUnits(text);
  const prefixCounts = createPrefixCounts(encoding, units);
  let tokenEnds: Uint32Array | undefined;
  let total: number | undefined;
  const last = { from: -1, to: -1, tokens: 0 };

  /** The tokens of a span; whoever divides a text counts one that is too large again and again. */
  function countSpan(from: number, to: number): number {
    if (last.from === from && last.to === to) return last.tokens;
    last.tokens = prefixCounts.count(from, to);
    last.from = from;
    last.to = to;
    return last.tokens;
  }

  return {
    count(start, end) {
      const from = Math.max(start, 0);
      const to = Math.min(end, units.length);
      if (from === 0 && to === units.length) {
        // Whoever counts the whole mostly counts spans of it next, for which this records the totals.
        total ??= tokenEnds?.length ?? prefixCounts.count(0, to);
        return total;
      }
      return to - from < SHORT_SPAN ? countPieces(encoding, units, from, to) : countSpan(from, to);
    },

    ends() {
      tokenEnds ??= findTokenEnds(encoding, units);
      return tokenEnds;
    },
  };
}

/** The ids of all tokens of a text. */
export function encodeText({ scan, classes, table }: Encoding, text: string): Uint32Array {
  const units = toUnits(text);
  let ids: Uint32Array = new Uint32Array(expectedTokens(units.length));
  let tokens = 0;
  for (let at = 0; at < units.length; ) {
    const pieceEnd = scan(units, classes, at, units.length);
    ids = withRoom(ids, tokens + TOKENS_PER_UNIT * (pieceEnd - at));
    tokens += table.write(units, at, pieceEnd, ids, tokens);
    at = pieceEnd;
  }
  return ids.slice(0, tokens);
}

/** The end of each token of a text; the ids of a piece are overwritten in place by the ends of its tokens. */
function findTokenEnds({ scan, classes, table, ranks }: Encoding, units: Uint16Array): Uint32Array {
  let ends: Uint32Array = new Uint32Array(expectedTokens(units.length));
  let tokens = 0;
  for (let at = 0; at < units.length; ) {
    const pieceEnd = scan(units, classes, at, units.length);
    ends = withRoom(ends, tokens + TOKENS_PER_UNIT * (pieceEnd - at));
    const count = table.write(units, at, pieceEnd, ends, tokens);
    placeTokens(ranks, units, at, pieceEnd, ends, tokens, count);
    tokens += count;
    at = pieceEnd;
  }
  return ends.slice(0, tokens);
}

/** Replaces the ids `ids[first, first + count)`, those of the piece `units[start, end)`, by the tokens' ends. */
function placeTokens(
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

function expectedTokens(units: number): number {
  return (units >> 2) + TOKENS_PER_UNIT;
}

function withRoom(held: Uint32Array, needed: number): Uint32Array {
  if (needed <= held.length) return held;
  const grown = new Uint32Array(needed + (held.length >> 1));
  grown.set(held);
  return grown;
}

/** The text's UTF-16 units: a typed array is read faster than a string. */
function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}
