/** Properties of texts. Offsets are UTF-16 code units. */

/** Whether the text is empty or Unicode white space only, and so gives no chunks. */
export function isBlank(text: string): boolean {
  return !/\P{White_Space}/u.test(text);
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
