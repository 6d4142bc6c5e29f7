import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';

/** A bit-packed run is filled up to eight values; some writers fill it up further. */
const FILLED_UP = 512;
const LONGEST_HEADER = 5;

/**
 * Goes through runs of repeated and bit-packed values, and refuses those that would be more than there are values: a few
 * bytes can stand for any number of them.
 *
 * @param width bits of a value
 * @throws Error in words
 */
export function checkRuns(bytes: Uint8Array, width: number, values: number): void {
  let [at, seen] = [0, 0];
  while (seen < values && at < bytes.length) {
    let [header, length] = [0, 0];
    for (let more = true; more; length++) {
      const byte = bytes[at + length] ?? 0;
      if (length === LONGEST_HEADER) throw new Error('a page has a run of values without an end');
      header += (byte & 0x7f) * 128 ** length;
      more = byte >= 0x80;
    }
    const isPacked = header % 2 === 1;
    const count = Math.floor(header / 2) * (isPacked ? 8 : 1);
    if (count > values - seen + (isPacked ? FILLED_UP : 0))
      throw new Error('a page has more values than it says');
    at += length + Math.ceil(isPacked ? (count * width) / 8 : width / 8);
    seen += count;
  }
}

/**
 * Refuses texts that are given by what they share with the one before them if they come to more bytes than allowed: each can
 * be as long as all before it.
 *
 * @param values the most that there are
 * @throws Error in words
 */
export function checkPrefixes(bytes: Uint8Array, values: number, most: number): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const count = deltaCount(bytes);
  if (count > values) throw new Error('a page has more values than it says');
  const prefixes = new Int32Array(count);
  deltaBinaryUnpack(reader, count, prefixes);
  const sum = prefixes.reduce((all, prefix) => all + Math.max(0, prefix), 0);
  if (sum > most) throw new Error('a page takes too many bytes: write it with smaller row groups');
}

/** The third number of what begins with a size of blocks, a count of their parts, and the count of values. */
function deltaCount(bytes: Uint8Array): number {
  let [at, number] = [0, 0];
  for (let index = 0; index < 3; index++) {
    number = 0;
    for (let [shift, more] = [0, true]; more; shift++) {
      const byte = bytes[at++];
      if (byte === undefined || shift === LONGEST_HEADER) throw new Error('a page is cut off');
      number += (byte & 0x7f) * 128 ** shift;
      more = byte >= 0x80;
    }
  }
  return number;
}
