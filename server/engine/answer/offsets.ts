import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import { splitsCodePoint } from '../../../core/engine/cuts/cuts.ts';

/**
 * Converts offsets into a text to another unit, in one pass. A lone surrogate is one code point and three bytes, as
 * in the answers of chunkers.
 *
 * @param offsets in UTF-16 code units, never decreasing, none between the halves of a surrogate pair
 */
export function offsetsIn(text: string, offsets: Uint32Array, unit: OffsetUnit): Uint32Array {
  if (unit === 'utf16') return offsets;
  const found = new Uint32Array(offsets.length);
  let at = 0;
  let counted = 0;
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] as number;
    while (at < offset) {
      const code = text.charCodeAt(at);
      const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
      at += isPair ? 2 : 1;
      counted += unit === 'code_point' ? 1 : utf8Bytes(code, isPair);
    }
    found[index] = counted;
  }
  return found;
}

/** Bytes of a code point in UTF-8, by its first code unit. */
function utf8Bytes(code: number, isPair: boolean): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return isPair ? 4 : 3;
}

/**
 * Converts offsets in a unit to UTF-16 offsets, in one pass. Offsets beyond the text, or within a code point, are
 * missing from the result.
 */
export function utf16Offsets(
  text: string,
  unit: OffsetUnit,
  offsets: readonly number[],
): ReadonlyMap<number, number> {
  const sorted = Float64Array.from(offsets).sort();
  const found = risingToUtf16(text, unit, sorted);
  const pairs = Array.from(sorted, (offset, index) => [offset, found[index] as number] as const);
  return new Map(pairs.filter(([, at]) => !Number.isNaN(at)));
}

/**
 * Converts offsets in a unit to UTF-16 offsets, in one pass. One beyond the text, or within a code point, is NaN.
 *
 * @param offsets never decreasing
 */
export function risingToUtf16(text: string, unit: OffsetUnit, offsets: ArrayLike<number>): Float64Array {
  if (unit === 'utf16')
    return Float64Array.from(offsets, (at) => (at <= text.length && !splitsCodePoint(text, at) ? at : NaN));
  let [at, counted] = [0, 0];
  return Float64Array.from(offsets, (offset) => {
    while (counted < offset && at < text.length) {
      const isPair = splitsCodePoint(text, at + 1);
      counted += lengthOf(text.charCodeAt(at), isPair, unit);
      at += isPair ? 2 : 1;
    }
    return counted === offset ? at : NaN;
  });
}

/** @param first the first UTF-16 unit of a code point */
function lengthOf(first: number, isPair: boolean, unit: OffsetUnit): number {
  if (unit === 'code_point') return 1;
  if (unit === 'utf16') return isPair ? 2 : 1;
  if (first < 0x80) return 1;
  if (first < 0x800) return 2;
  return isPair ? 4 : 3;
}
