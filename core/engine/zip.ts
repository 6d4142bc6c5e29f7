import { inflateRawSync } from 'node:zlib';
import { reasonOf, refusedError } from '../errors.ts';

/** Signatures, and fields by their offset, of APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = { signature: 0x06054b50, bytes: 22, count: 10, directory: 16 };
const ENTRY = {
  signature: 0x02014b50,
  bytes: 46,
  flags: 8,
  method: 10,
  packed: 20,
  size: 24,
  name: 28,
  extra: 30,
  comment: 32,
  at: 42,
};
const LOCAL = { bytes: 30, name: 26, extra: 28 };
const MOST_COMMENT = 65_535;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** In place of a size that needs 64 bits. */
const SEE_ZIP64 = 0xffffffff;

interface Entry {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** Bytes in the file, and those that it unpacks to. */
  readonly packed: number;
  readonly size: number;
  /** Where it begins in the file. */
  readonly at: number;
}

/**
 * Unpacks files of a zip, such as those of an Office document. None is unpacked to more bytes than the zip's directory
 * says, and a different length is an error, so that nothing is cut off without one.
 *
 * @param wants whether a file is unpacked, by its path: `word/document.xml`
 * @param most maximum bytes of all unpacked files together
 * @returns the wanted files that the zip has, by path
 * @throws Error for callers if it is not a zip, damaged, encrypted, or larger
 */
export function unzip(
  bytes: Uint8Array,
  wants: (path: string) => boolean,
  most: number,
): ReadonlyMap<string, Uint8Array> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const files = new Map<string, Uint8Array>();
  let left = most;
  for (const entry of entriesOf(zip)) {
    if (!wants(entry.path)) continue;
    left -= entry.size;
    if (left < 0) throw refusedError(`The file cannot be read: it unpacks to more than ${most} bytes.`);
    files.set(entry.path, unpack(zip, entry));
  }
  return files;
}

/** The directory of a zip, in its order. */
function entriesOf(zip: Buffer): Entry[] {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  const isZip = end >= 0 && end >= zip.length - END.bytes - MOST_COMMENT && end + END.bytes <= zip.length;
  if (!isZip) throw refusedError('The file cannot be read: it is not a zip file, or not all of one.');
  const entries: Entry[] = [];
  let at = zip.readUInt32LE(end + END.directory);
  for (let left = zip.readUInt16LE(end + END.count); left > 0; left--) {
    if (at + ENTRY.bytes > end || zip.readUInt32LE(at) !== ENTRY.signature) throw damaged('its directory');
    const [name, extra, comment] = [ENTRY.name, ENTRY.extra, ENTRY.comment].map((field) =>
      zip.readUInt16LE(at + field),
    ) as [number, number, number];
    const [packed, size, start] = [ENTRY.packed, ENTRY.size, ENTRY.at].map((field) =>
      zip.readUInt32LE(at + field),
    ) as [number, number, number];
    if ([packed, size, start].includes(SEE_ZIP64)) throw damaged('an entry of more than 4 GB');
    entries.push({
      path: zip.toString('utf8', at + ENTRY.bytes, at + ENTRY.bytes + name),
      isEncrypted: (zip.readUInt16LE(at + ENTRY.flags) & ENCRYPTED) !== 0,
      method: zip.readUInt16LE(at + ENTRY.method),
      packed,
      size,
      at: start,
    });
    at += ENTRY.bytes + name + extra + comment;
  }
  return entries;
}

function unpack(zip: Buffer, { path, isEncrypted, method, packed, size, at }: Entry): Uint8Array {
  if (isEncrypted)
    throw refusedError('The file cannot be read: it is encrypted; save it without a password.');
  if (at + LOCAL.bytes > zip.length) throw damaged(path);
  const from = at + LOCAL.bytes + zip.readUInt16LE(at + LOCAL.name) + zip.readUInt16LE(at + LOCAL.extra);
  const data = inflated(zip.subarray(from, from + packed), method, size, path);
  if (data.length !== size) throw damaged(path);
  return data;
}

function inflated(data: Buffer, method: number, size: number, path: string): Uint8Array {
  if (method === STORED) return data;
  if (method !== DEFLATED)
    throw refusedError(`The file cannot be read: ${path} is packed in a way that is not supported.`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damaged(`${path}: ${reasonOf(error)}`);
  }
}

function damaged(what: string): Error {
  return refusedError(`The file cannot be read: it is damaged (${what}).`);
}
