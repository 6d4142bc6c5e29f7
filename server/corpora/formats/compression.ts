import { createGunzip, createZstdDecompress } from 'node:zlib';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { type StoredFile, unreadable } from '../storage/storage.ts';

const ENDING = /\.(gz|zst)$/i;
const PIECE = 256 * 1024;
/** Maximum expansion of a compressed file. More is allowed up to the size limit of one document. */
const MAX_EXPANSION = 250;
const USUAL_EXPANSION = 4;

type Decompressor = ReturnType<typeof createGunzip>;

export function isCompressed(name: string): boolean {
  return ENDING.test(name);
}

export function uncompressedName(name: string): string {
  return name.replace(ENDING, '');
}

/**
 * Reads a file, and decompresses it if its name has the extension of a compressed format. The file may
 * consist of several compressed members.
 *
 * @param limit maximum bytes of a document
 * @throws ServiceError `source_unreadable` if the file is damaged, or expands too much
 */
export async function* decompressed(
  file: StoredFile,
  source: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<Buffer> {
  if (!isCompressed(file.name)) {
    yield* source;
    return;
  }
  const count = expansionOf(file, limit);
  try {
    for await (const piece of membersOf(source, /zst$/i.test(file.name))) {
      count(piece.length);
      yield piece;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unreadable(file.name, `it is damaged, or not in the format of its name: ${reasonOf(error)}`, error);
  }
}

/** Returns a function that counts decompressed bytes, and throws `source_unreadable` above the maximum. */
export function expansionOf({ name, size }: StoredFile, limit: number): (bytes: number) => void {
  const most = Math.max(limit, size * MAX_EXPANSION);
  let all = 0;
  return (bytes) => {
    all += bytes;
    if (all > most) throw unreadable(name, `its ${size} bytes expand to more than ${most}`);
  };
}

/** Decompresses members one by one, because Node's decompressor stops at the end of a Zstandard member. */
async function* membersOf(source: AsyncIterable<Buffer>, isZstd: boolean): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  let left = Buffer.alloc(0);
  let isOver = false;

  async function feed(member: Decompressor): Promise<void> {
    let fed = 0;
    while (!member.destroyed && !member.readableEnded) {
      const next = left.length > 0 ? { value: left, done: false } : await pieces.next();
      isOver = next.done === true;
      if (isOver) return void member.end();
      await written(member, next.value);
      fed += next.value.length;
      const unused = fed - member.bytesWritten;
      left = next.value.subarray(next.value.length - unused);
      // The member has ended. The unused bytes belong to the next member.
      if (unused > 0) return;
    }
  }

  try {
    while (!isOver) {
      const member = hold((isZstd ? createZstdDecompress : createGunzip)({ chunkSize: PIECE }));
      const feeding = feed(member).catch((error: Error) => void member.destroy(error));
      yield* member as AsyncIterable<Buffer>;
      await feeding;
    }
  } finally {
    await pieces.return?.();
  }
}

/** Resolves once the bytes are consumed, or once the member ends within them. */
function written(member: Decompressor, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    member.once('end', resolve).once('close', resolve);
    member.write(bytes, () => {
      member.off('end', resolve).off('close', resolve);
      resolve();
    });
  });
}

/**
 * Distributes the compressed size of a file over its decompressed content, to show progress. The estimate
 * depends only on the content, so every run gives the same numbers.
 *
 * @returns a function from the number of the next decompressed bytes to their share
 */
export function sharesOf({ name, size }: StoredFile): (bytes: number) => number {
  if (!isCompressed(name)) return (bytes) => bytes;
  let left = size;
  return (bytes) => {
    const share = Math.min(left, Math.ceil(bytes / USUAL_EXPANSION));
    left -= share;
    return share;
  };
}
