import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { PARSERS } from './values.ts';

/** Node's own decompressors are faster; their output is limited to the declared size. */
const COMPRESSORS: Compressors = {
  ...compressors,
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(length, 1) }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(length, 1) }),
};

/** A stretch of a file that is in memory. */
export interface Stretch {
  readonly from: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A row group with some columns in memory. */
export interface LoadedGroup {
  /** The metadata of a file that has only this row group. */
  readonly metadata: FileMetaData;
  /** Bytes of the file. */
  readonly size: number;
  /** Names of the columns that are read. */
  readonly columns: readonly string[];
  /** From `readColumns`. */
  readonly stretches: readonly Stretch[];
}

/**
 * The rows of a row group as lists of the values of its columns.
 *
 * @throws Error if it is not valid Parquet
 */
export async function decodeRows({
  metadata,
  size,
  columns,
  stretches,
}: LoadedGroup): Promise<readonly (readonly unknown[])[]> {
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file: inMemory(size, stretches),
    metadata,
    columns: [...columns],
    compressors: COMPRESSORS,
    parsers: PARSERS,
    utf8: false,
    onComplete: (read: unknown[][]) => {
      rows = read;
    },
  });
  return rows;
}

/** A file of which only some stretches are available; the bytes between them are never read. */
function inMemory(byteLength: number, stretches: readonly Stretch[]): AsyncBuffer {
  return {
    byteLength,
    slice(from, to = byteLength) {
      const bytes = Buffer.alloc(to - from);
      for (const stretch of stretches) {
        const begin = Math.max(from, stretch.from);
        const end = Math.min(to, stretch.from + stretch.bytes.length);
        if (begin < end)
          bytes.set(stretch.bytes.subarray(begin - stretch.from, end - stretch.from), begin - from);
      }
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    },
  };
}
