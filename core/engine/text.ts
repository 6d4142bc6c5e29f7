import { readBlocks } from './blocks.ts';

/** Properties of texts. Offsets are UTF-16 code units. */

/** Whether the text is empty or Unicode white space only, and so gives no chunks. */
export function isBlank(text: string): boolean {
  return !/\P{White_Space}/u.test(text);
}

/** Whether the text has a surrogate, in a pair or alone. Reads two units at once: a regular expression takes twice as long. */
export function hasSurrogates(text: string): boolean {
  let isFound = false;
  readBlocks(text, 0, text.length, (block) => {
    isFound = hasSurrogateIn(block);
    return !isFound;
  });
  return isFound;
}

/** @param block begins at an even unit of its memory */
function hasSurrogateIn(block: Uint16Array): boolean {
  const pairs = new Int32Array(block.buffer, block.byteOffset, block.length >> 1);
  let marks = surrogateMarks(block.length % 2 === 1 ? (block.at(-1) as number) : 0);
  for (let index = 0; index < pairs.length; index++) marks |= surrogateMarks(pairs[index] as number);
  return (marks & 0x80008000) !== 0;
}

/** Has the highest bit of each of two units set if the unit is a surrogate: if its bits begin with 11011. */
function surrogateMarks(units: number): number {
  return units & (units << 1) & ~(units << 2) & (units << 3) & (units << 4);
}

/** Whether an offset falls between the two halves of a surrogate pair. */
export function splitsCodePoint(text: string, offset: number): boolean {
  return (
    offset > 0 &&
    offset < text.length &&
    isLowSurrogate(text.charCodeAt(offset)) &&
    isHighSurrogate(text.charCodeAt(offset - 1))
  );
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** The number of code points of `text.slice(start, end)`; a lone surrogate is one. */
export function countCodePoints(text: string, start: number, end: number): number {
  let points = end - start;
  for (let at = start + 1; at < end; at++) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) points--;
  }
  return points;
}

/** What stands for a chunk where its context counts: in its vector, its hash and its limit. @param context of any chunk */
export function embeddedText(text: string, context: unknown): string {
  return typeof context === 'string' && context !== '' ? `${context}\n${text}` : text;
}
