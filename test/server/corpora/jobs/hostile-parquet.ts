import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { between, createRandom } from '../../../support/random.ts';

const MB = 1_000_000;
const many = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));
const parquet = (data: unknown[], compress?: (bytes: Uint8Array) => Uint8Array) => {
  const columnData = [{ name: 'text', data, type: 'STRING' as const }];
  const packed = compress && { codec: 'ZSTD' as const, compressors: { ZSTD: compress } };
  return Buffer.from(parquetWriteBuffer({ columnData, ...packed }));
};
const zstd = (bytes: Uint8Array) => zstdCompressSync(bytes);
/** A file without rows. */
function schemaOf(children: number, elements: readonly SchemaElement[]): Buffer {
  const writer = new ByteWriter();
  new ParquetWriter({ writer, schema: [{ name: 'root', num_children: children }, ...elements] }).finish();
  return Buffer.from(writer.getBuffer());
}
const column = (index: number): SchemaElement => ({ name: `c${index}`, type: 'INT32' });
const group = (index: number): SchemaElement => ({ name: `g${index}`, num_children: 1 });

/** A file with some wrong bytes. @param seed decides which bytes, and whether the file is compressed */
export function damagedParquet(seed: number): Buffer {
  const random = createRandom(seed);
  const bytes = parquet(many(50, String), seed % 2 === 0 ? undefined : zstd);
  for (let count = between(random, 1, 8); count > 0; count--)
    bytes[between(random, 4, bytes.length - 9)] = between(random, 0, 255);
  return bytes;
}

/** Files that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  columns: () => schemaOf(200_000, many(200_000, column)),
  deep: () => schemaOf(1, [...many(1000, group), column(0)]),
  nulls: () => parquet(Array(MB).fill(null)),
  dictionary: () => parquet(Array(100_000).fill('x'.repeat(MB))),
  zip: () => parquet(['x'.repeat(200 * MB)], zstd),
  lie: () => parquet(['x'], () => zstdCompressSync(Buffer.alloc(900 * MB))),
};
