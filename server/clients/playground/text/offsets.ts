import type { Chunk, Unit } from '../data/model.ts';

export function lengthIn(text: string, unit: Unit): number {
  if (unit === 'utf16') return text.length;
  let length = 0;
  for (const character of text)
    length += unit === 'code_point' ? 1 : bytesOf(character.codePointAt(0) as number);
  return length;
}

/** Number of bytes of a code point in UTF-8: three for a lone surrogate, which is encoded as U+FFFD. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

export function toUtf16(text: string, chunks: readonly Chunk[], unit: Unit): readonly Chunk[] {
  if (unit === 'utf16') return chunks;
  const offsets = chunks.flatMap(({ start_index, end_index }) => [start_index, end_index]);
  const found = findUtf16(text, offsets, unit);
  return chunks.map((chunk) => ({
    ...chunk,
    start_index: found.get(chunk.start_index) as number,
    end_index: found.get(chunk.end_index) as number,
  }));
}

/** Maps offsets in `unit` to offsets in UTF-16 units. Maps offsets beyond the end of the text to its end. */
function findUtf16(text: string, offsets: readonly number[], unit: Unit): Map<number, number> {
  const sorted = [...new Set(offsets)].sort((a, b) => a - b);
  const found = new Map<number, number>();
  let at = 0;
  let position = 0;
  let next = 0;
  for (const character of text) {
    while (next < sorted.length && (sorted[next] as number) <= position)
      found.set(sorted[next++] as number, at);
    if (next === sorted.length) return found;
    at += character.length;
    position += unit === 'code_point' ? 1 : bytesOf(character.codePointAt(0) as number);
  }
  for (const offset of sorted.slice(next)) found.set(offset, text.length);
  return found;
}

export function excerptOf(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most && text.length <= 4 * most
    ? line
    : `${characters.slice(0, most).join('')} …`;
}
