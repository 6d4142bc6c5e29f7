import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a zip. Everything but its name and content is what the zip says of it, and follows from these. */
export interface ZipEntry {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly isStored?: boolean;
  /** As it is in the zip, in place of the packed data. */
  readonly raw?: Uint8Array;
  readonly size?: number;
  readonly packed?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly checksum?: number;
  /** Where it begins. */
  readonly at?: number;
  /** Sizes and beginning in an extra field of 64 bits. */
  readonly isWide?: boolean;
}

/** What the record at the end says. */
export interface ZipEnd {
  readonly count?: number;
  readonly length?: number;
  readonly directory?: number;
  readonly comment?: string;
}

/** Writes a zip, honest or not. */
export function zipOf(entries: readonly ZipEntry[], end: ZipEnd = {}): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const data = Buffer.from(entry.data);
    const raw = entry.raw ?? (entry.isStored ? data : deflateRawSync(data));
    const { size = data.length, packed = raw.length, flags = 0x800, checksum = crc32(data) } = entry;
    const method = entry.method ?? (entry.isStored ? 0 : 8);
    const begins = entry.at ?? at;
    const wide = entry.isWide ? wideField(size, packed, begins) : Buffer.alloc(0);
    const narrow = (number: number): number => (entry.isWide ? 0xffffffff : number);
    const shared = [bytes(2, 20, flags, method, 0, 0), bytes(4, checksum, narrow(packed), narrow(size))];
    const local = [bytes(4, 0x04034b50), ...shared, bytes(2, name.length, 0), name, raw];
    const lengths = bytes(2, name.length, wide.length, 0, 0, 0);
    const own = [
      bytes(4, 0x02014b50),
      bytes(2, 20),
      ...shared,
      lengths,
      bytes(4, 0, narrow(begins)),
      name,
      wide,
    ];
    parts.push(...local);
    directory.push(...own);
    at += Buffer.concat(local).length;
  }
  const list = Buffer.concat(directory);
  const { count = entries.length, length = list.length, directory: start = at, comment = '' } = end;
  const last = [bytes(4, 0x06054b50), bytes(2, 0, 0, count, count), bytes(4, length, start)];
  return Buffer.concat([...parts, list, ...last, bytes(2, comment.length), Buffer.from(comment)]);
}

function bytes(width: 2 | 4, ...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * width);
  for (const [index, number] of numbers.entries()) buffer.writeUIntLE(number, index * width, width);
  return buffer;
}

function wideField(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * 8);
  for (const [index, number] of numbers.entries()) buffer.writeBigUInt64LE(BigInt(number), index * 8);
  return Buffer.concat([bytes(2, 1, buffer.length), buffer]);
}
