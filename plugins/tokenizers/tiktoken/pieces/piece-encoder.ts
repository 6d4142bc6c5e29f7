import { afterCodePoint, codePointAt } from '../scan/scanner.ts';
import type { Ranks } from '../vocabulary/ranks.ts';
import { createLongMerge } from './long-merge.ts';
import { createShortMerge } from './short-merge.ts';

/** Longest piece, in bytes, that is merged the short way, and that the buffers are kept for. */
const SHORT = 192;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Encodes `units[start, end)`, one piece of a text. The ids are valid until the next call. */
export type PieceEncoder = (units: Uint16Array, start: number, end: number) => Uint32Array;

export function createPieceEncoder(ranks: Ranks): PieceEncoder {
  const shortBytes = new Uint8Array(SHORT);
  const shortIds = new Uint32Array(SHORT);
  const mergeShort = createShortMerge(ranks, SHORT);
  const mergeLong = createLongMerge(ranks);

  return (units, start, end) => {
    const most = (end - start) * BYTES_PER_UNIT;
    const isShort = most <= SHORT;
    const bytes = isShort ? shortBytes : new Uint8Array(most);
    const length = writeUtf8(units, start, end, bytes);
    const whole = ranks.find(bytes, 0, length);
    if (whole >= 0) {
      shortIds[0] = whole;
      return shortIds.subarray(0, 1);
    }
    const ids = isShort ? shortIds : new Uint32Array(length);
    const merge = isShort ? mergeShort : mergeLong;
    return ids.subarray(0, merge(bytes, length, ids));
  };
}

/** Writes `units[start, end)` to `bytes`, lone surrogates as U+FFFD, and returns the number of bytes. */
function writeUtf8(units: Uint16Array, start: number, end: number, bytes: Uint8Array): number {
  let filled = 0;
  for (let at = start; at < end; ) {
    const unit = units[at] as number;
    if (unit < 0x80) {
      bytes[filled] = unit;
      filled += 1;
      at += 1;
      continue;
    }
    filled = writeCodePoint(codePointAt(units, at, end), bytes, filled);
    at = afterCodePoint(units, at, end);
  }
  return filled;
}

function writeCodePoint(codePoint: number, bytes: Uint8Array, from: number): number {
  let at = from;
  if (codePoint < 0x800) bytes[at++] = 0xc0 | (codePoint >> 6);
  else {
    if (codePoint < 0x10000) bytes[at++] = 0xe0 | (codePoint >> 12);
    else {
      bytes[at++] = 0xf0 | (codePoint >> 18);
      bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (codePoint & 0x3f);
  return at;
}
