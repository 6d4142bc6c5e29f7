import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type ColumnMetaData, type Compressors, snappyUncompress } from 'hyparquet';

/** Those of Node, which are faster than any in JavaScript; of what comes out, no more than was said is taken. */
export const COMPRESSORS: Compressors = {
  SNAPPY(bytes, length) {
    const output = new Uint8Array(length);
    snappyUncompress(bytes, output);
    return output;
  },
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
};

/** @throws Error if it is damaged, or more or less comes out */
export function decompressPage(
  bytes: Uint8Array,
  length: number,
  codec: ColumnMetaData['codec'],
): Uint8Array {
  const page = codec === 'UNCOMPRESSED' ? bytes : COMPRESSORS[codec]?.(bytes, length);
  if (page === undefined)
    throw new Error(`its compression is ${codec}; write it with Snappy, gzip, Brotli or zstd`);
  if (page.length !== length) throw new Error('a page has another length than it says');
  return page;
}
