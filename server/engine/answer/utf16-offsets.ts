import type { OffsetUnit } from '../../../core/contracts/chunk.ts';

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
      const point = text.codePointAt(at) as number;
      counted += lengthOf(point, unit);
      at += point > 0xffff ? 2 : 1;
    }
    if (counted === offset) found.set(offset, at);
  }
  return found;
}

function lengthOf(point: number, unit: OffsetUnit): number {
  if (unit === 'code_point') return 1;
  if (unit === 'utf16') return point > 0xffff ? 2 : 1;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
