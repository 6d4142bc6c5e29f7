import { readFile } from 'node:fs/promises';
import type { SharedMemory } from '../../../../core/kit.ts';
import { createTable, type Table } from '../table/table.ts';

/** The version of the vectors of texts that a vocabulary does not know. Vectors of two versions cannot be compared. */
export const LEXICAL_VERSION = 'parts-3';

/** Values in the row of a part. */
export const ROW = 256;
/** The file has a hash, a scale and 4 bits per value for each part. */
const PART_BYTES = 8 + ROW / 2;
/** The 4-bit code that means zero. */
const MIDDLE = 8;

/** The two values that a byte of the file represents, the first in the lower bits. */
const PAIRS = new Int16Array(
  Int8Array.from({ length: 512 }, (_, at) => (((at >> 1) >> (4 * (at & 1))) & 15) - MIDDLE).buffer,
);

/** Reads the rows of frequent parts. `weights` of the table has their scales, `mapping` the rising hashes of the parts. */
export async function readPartRows(): Promise<SharedMemory> {
  const { buffer, byteOffset, byteLength } = await readFile(
    new URL(`${LEXICAL_VERSION}.bin`, import.meta.url),
  );
  const rows = byteLength / PART_BYTES;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const table = createTable({
    ...{ rows, tokens: rows, dimensions: ROW, isInt8: true, unknownId: undefined },
    ...{ hasWeights: true, hasMapping: true },
  });
  copyTo(table.mapping as Uint32Array, bytes);
  copyTo(table.weights as Float32Array, bytes.subarray(4 * rows));
  unpack(bytes.subarray(8 * rows), new Int16Array(table.buffer, table.rowsStart));
  return table.memory;
}

function unpack(packed: Uint8Array, pairs: Int16Array): void {
  for (let at = 0; at < packed.length; at++) pairs[at] = PAIRS[packed[at] as number] as number;
}

function copyTo(target: Uint32Array | Float32Array, bytes: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = target;
  new Uint8Array(buffer, byteOffset, byteLength).set(bytes.subarray(0, byteLength));
}

/** The row of a part by its hash, or -1. */
export type RowFinder = (hash: number) => number;

/** Hashes are evenly spread, so that few have the same upper bits. */
const BITS = 17;

export function createRowFinder({ mapping }: Table): RowFinder {
  const hashes = mapping as Uint32Array;
  /** The first row whose hash has these upper bits, or higher ones. */
  const firsts = new Uint32Array(2 ** BITS + 1).fill(hashes.length);
  for (let row = hashes.length - 1; row >= 0; row--) firsts[(hashes[row] as number) >>> (32 - BITS)] = row;
  for (let at = firsts.length - 2; at >= 0; at--)
    firsts[at] = Math.min(firsts[at] as number, firsts[at + 1] as number);
  return (hash) => {
    const bits = hash >>> (32 - BITS);
    const end = firsts[bits + 1] as number;
    for (let row = firsts[bits] as number; row < end; row++) if (hashes[row] === hash) return row;
    return -1;
  };
}
