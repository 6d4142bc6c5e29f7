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
      counted += lengthOf(code, isPair, unit);
    }
    found[index] = counted;
  }
  return found;
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
  const found = new Map<number, number>();
  let [at, counted] = [0, 0];
  for (const offset of Float64Array.from(offsets).sort()) {
    while (counted < offset && at < text.length) {
      const isPair = splitsCodePoint(text, at + 1);
      counted += lengthOf(text.charCodeAt(at), isPair, unit);
      at += isPair ? 2 : 1;
    }
    if (counted === offset) found.set(offset, at);
  }
  return found;
}

/** @param first the first UTF-16 unit of a code point */
function lengthOf(first: number, isPair: boolean, unit: OffsetUnit): number {
  if (unit === 'code_point') return 1;
  if (unit === 'utf16') return isPair ? 2 : 1;
  if (first < 0x80) return 1;
  if (first < 0x800) return 2;
  return isPair ? 4 : 3;
}
