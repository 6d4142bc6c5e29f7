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
  const cursor = createUtf16Cursor(text, unit);
  for (const offset of Float64Array.from(offsets).sort()) {
    const at = cursor(offset);
    if (at !== undefined) found.set(offset, at);
  }
  return found;
}

/** Converts an offset in a unit to UTF-16; undefined if it is beyond the text, or within a code point. */
export type Utf16Cursor = (offset: number) => number | undefined;

/** A cursor through a text that converts offsets which never decrease. */
export function createUtf16Cursor(text: string, unit: OffsetUnit): Utf16Cursor {
  if (unit === 'utf16')
    return (offset) => (offset <= text.length && !splitsCodePoint(text, offset) ? offset : undefined);
  let [at, counted] = [0, 0];
  return (offset) => {
    // Variables of the loop alone are in registers.
    let [index, length] = [at, counted];
    while (length < offset && index < text.length) {
      const code = text.charCodeAt(index);
      const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
      index += isPair ? 2 : 1;
      length += lengthOf(code, isPair, unit);
    }
    [at, counted] = [index, length];
    return length === offset ? index : undefined;
  };
}

/** @param first the first UTF-16 unit of a code point */
function lengthOf(first: number, isPair: boolean, unit: OffsetUnit): number {
  if (unit === 'code_point') return 1;
  if (first < 0x80) return 1;
  if (first < 0x800) return 2;
  return isPair ? 4 : 3;
}
