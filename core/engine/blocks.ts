/** Units of a block. */
const SIZE = 1 << 14;
const units = new Uint16Array(SIZE);
const bytes = Buffer.from(units.buffer);

/**
 * Reads a stretch of a text as arrays of UTF-16 units, which are read several times as fast as `charCodeAt` reads the
 * text.
 *
 * @param read gets a block, whose memory is used again for the next one, and where it begins in the text; reading
 *   ends with the first block for which it returns false
 */
export function readBlocks(
  text: string,
  start: number,
  end: number,
  read: (block: Uint16Array, from: number) => boolean,
): void {
  let goesOn = true;
  for (let from = start; goesOn && from < end; from += SIZE) {
    const part = text.slice(from, Math.min(from + SIZE, end));
    bytes.write(part, 'utf16le');
    goesOn = read(units.subarray(0, part.length), from);
  }
}
