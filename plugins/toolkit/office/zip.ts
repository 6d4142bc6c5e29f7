import { crc32, inflateRawSync } from 'node:zlib';
import { reasonOf, refusedError } from '../../../core/errors.ts';

/** Signatures and offsets of fields, from APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = { signature: 'PK\u0005\u0006', bytes: 22, count: 10, length: 12, directory: 16 };
const ENTRY = {
  signature: 0x02014b50,
  bytes: 46,
  flags: 8,
  method: 10,
  checksum: 16,
  packed: 20,
  size: 24,
  name: 28,
  extra: 30,
  comment: 32,
  at: 42,
};
const LOCAL = { bytes: 30, name: 26, extra: 28 };
/** The extra field with 64-bit numbers (4.5.3). They replace 32-bit fields whose value is `instead`. */
const WIDE = { id: 1, head: 4, bytes: 8, instead: 0xffffffff };
const MAX_COMMENT = 65_535;
/** Bytes that are unpacked at once. */
const MIN_PIECE = 64;
const MAX_PIECE = 16 * 1024 * 1024;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** Signature of compound files (MS-CFB 2.2): Office files with a password, and formats older than zip. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

interface Entry {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * Unpacks files of a zip. Checks their lengths and checksums against the directory of the zip.
 *
 * @param wants whether to unpack the file at a path: `word/document.xml`
 * @param most maximum bytes of all unpacked files together; checked before the first file is unpacked
 * @returns the unpacked files by path
 * @throws Error for callers if the bytes are not a zip, or are damaged or encrypted, or unpack to more than `most`
 */
export function unzip(
  bytes: Uint8Array,
  wants: (path: string) => boolean,
  most: number,
): ReadonlyMap<string, Uint8Array> {
  const { paths, unpacked } = openZip(bytes, wants, most);
  return new Map(paths.map((path) => [path, unpacked(path) as Uint8Array]));
}

/** The wanted files of a zip. */
interface Zip {
  readonly paths: readonly string[];
  /**
   * Unpacks a file at the first call for it; undefined if it is not one of `paths`.
   *
   * @throws Error for callers if the file is damaged or encrypted
   */
  readonly unpacked: (path: string) => Uint8Array | undefined;
}

/** Opens a zip as `unzip` does, but unpacks only files that are asked for. */
export function openZip(bytes: Uint8Array, wants: (path: string) => boolean, most: number): Zip {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const wanted = new Map<string, Entry>();
  let total = 0;
  for (const entry of entriesOf(zip)) {
    if (!wants(entry.path)) continue;
    if (wanted.has(entry.path)) throw damaged(`it has ${entry.path} twice`);
    wanted.set(entry.path, entry);
    total += entry.size;
  }
  if (total > most) throw refusedError(`The file cannot be read: it unpacks to more than ${most} bytes.`);
  const files = new Map<string, Uint8Array>();
  return {
    paths: [...wanted.keys()],
    unpacked(path) {
      const entry = wanted.get(path);
      const file = files.get(path) ?? (entry && unpack(zip, entry));
      if (file !== undefined) files.set(path, file);
      return file;
    },
  };
}

/** Reads the directory of a zip. It must have as many entries as it announces, without gaps between entries. */
function entriesOf(zip: Buffer): Entry[] {
  const end = endOf(zip);
  let at = zip.readUInt32LE(end + END.directory);
  const stop = at + zip.readUInt32LE(end + END.length);
  if (stop > end) throw damaged('its directory');
  const entries: Entry[] = [];
  for (let left = zip.readUInt16LE(end + END.count); left > 0; left--) {
    if (at + ENTRY.bytes > stop || zip.readUInt32LE(at) !== ENTRY.signature) throw damaged('its directory');
    entries.push(entryAt(zip, at));
    at += ENTRY.bytes + lengthOf(zip, at, ENTRY.name, ENTRY.extra, ENTRY.comment);
  }
  if (at !== stop) throw damaged('its directory');
  return entries;
}

function endOf(zip: Buffer): number {
  if (zip.subarray(0, COMPOUND.length).equals(COMPOUND))
    throw refusedError(
      'The file cannot be read: it has a password, or is of a format older than its name says; save it without one, in the present format.',
    );
  const end = zip.lastIndexOf(END.signature, undefined, 'latin1');
  const isZip = end >= 0 && end >= zip.length - END.bytes - MAX_COMMENT && end + END.bytes <= zip.length;
  if (!isZip) throw refusedError('The file cannot be read: it is not a zip file, or not all of one.');
  return end;
}

function lengthOf(zip: Buffer, at: number, ...fields: readonly number[]): number {
  return fields.reduce((sum, field) => sum + zip.readUInt16LE(at + field), 0);
}

function entryAt(zip: Buffer, at: number): Entry {
  const name = at + ENTRY.bytes;
  const extra = name + zip.readUInt16LE(at + ENTRY.name);
  const wide = wideFields(zip.subarray(extra, extra + zip.readUInt16LE(at + ENTRY.extra)));
  const numberAt = (field: number): number => {
    const number = zip.readUInt32LE(at + field);
    if (number !== WIDE.instead) return number;
    return wide.next().value ?? number;
  };
  const path = zip.toString('utf8', name, extra);
  // The order of these three calls matters: the extra field has its numbers in this order.
  const size = numberAt(ENTRY.size);
  const packed = numberAt(ENTRY.packed);
  const start = numberAt(ENTRY.at);
  const method = zip.readUInt16LE(at + ENTRY.method);
  const isEncrypted = (zip.readUInt16LE(at + ENTRY.flags) & ENCRYPTED) !== 0;
  const checksum = zip.readUInt32LE(at + ENTRY.checksum);
  return { path, isEncrypted, method, checksum, size, packed, at: start };
}

/** Reads an entry's 64-bit numbers from its extra fields. Some writers use these even for small files. */
function* wideFields(extra: Buffer): Generator<number, undefined> {
  for (let at = 0; at + WIDE.head <= extra.length; ) {
    const end = at + WIDE.head + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === WIDE.id)
      for (let one = at + WIDE.head; one + WIDE.bytes <= Math.min(end, extra.length); one += WIDE.bytes)
        yield Number(extra.readBigUInt64LE(one));
    at = end;
  }
}

function unpack(zip: Buffer, { path, isEncrypted, method, checksum, packed, size, at }: Entry): Uint8Array {
  if (isEncrypted)
    throw refusedError('The file cannot be read: it is encrypted; save it without a password.');
  if (at + LOCAL.bytes > zip.length) throw damaged(path);
  const from = at + LOCAL.bytes + lengthOf(zip, at, LOCAL.name, LOCAL.extra);
  if (from + packed > zip.length) throw damaged(path);
  const data = inflated(zip.subarray(from, from + packed), method, size, path);
  if (data.length !== size || crc32(data) !== checksum) throw damaged(path);
  return data;
}

function inflated(data: Buffer, method: number, size: number, path: string): Uint8Array {
  if (method === STORED) return data;
  if (method !== DEFLATED)
    throw refusedError(`The file cannot be read: ${path} is packed in a way that is not supported.`);
  try {
    // In one piece: one more byte says that no more follow.
    const chunkSize = Math.min(Math.max(size + 1, MIN_PIECE), MAX_PIECE);
    return inflateRawSync(data, { chunkSize, maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damaged(`${path}: ${reasonOf(error)}`);
  }
}

function damaged(what: string): Error {
  return refusedError(`The file cannot be read: it is damaged (${what}).`);
}
