import { createGunzip, createZstdDecompress } from 'node:zlib';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { type StoredFile, unreadable } from '../storage/storage.ts';
import type { ReadOptions } from './reading.ts';

const ENDING = /\.(gz|zst)$/i;
/** Bytes that come out at once. */
const PIECE = 256 * 1024;
/** Estimate of how many times its own bytes come out of a compressed file of text. */
const USUAL_EXPANSION = 4;

type Decompressor = ReturnType<typeof createGunzip>;

export function isCompressed(name: string): boolean {
  return ENDING.test(name);
}

/** The name of what comes out of a compressed file; of another, its own. */
export function uncompressedName(name: string): string {
  return name.replace(ENDING, '');
}

/**
 * The bytes of a file, decompressed if its name says that it is compressed. It may have several members, one after the
 * other.
 *
 * @throws ServiceError `source_unreadable` if it is damaged, or more comes out than `maxExpansion` allows
 */
export async function* decompressed(
  file: StoredFile,
  source: AsyncIterable<Buffer>,
  { maxExpansion, limit }: Pick<ReadOptions, 'maxExpansion' | 'limit'>,
): AsyncGenerator<Buffer> {
  if (!isCompressed(file.name)) {
    yield* source;
    return;
  }
  const count = expansionOf(file, { maxExpansion, limit });
  try {
    for await (const piece of membersOf(source, /zst$/i.test(file.name))) {
      count(piece.length);
      yield piece;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw unreadable(file.name, `it is not what its name says, or is damaged: ${reasonOf(error)}`, error);
  }
}

/** Counts bytes that come out of a file. It throws as `decompressed` does. */
export function expansionOf(
  { name, size }: StoredFile,
  { maxExpansion, limit }: Pick<ReadOptions, 'maxExpansion' | 'limit'>,
): (bytes: number) => void {
  const most = Math.max(limit, size * maxExpansion);
  let all = 0;
  return (bytes) => {
    all += bytes;
    if (all > most) throw unreadable(name, `more than ${most} bytes come out of its ${size}`);
  };
}

/** Node stops at the end of a member of Zstandard: what is left then goes to a new decompressor. */
async function* membersOf(source: AsyncIterable<Buffer>, isZstd: boolean): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  let [left, isOver] = [Buffer.alloc(0), false];

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
      // What it does not take is no part of it. It has not ended yet for whoever reads it.
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

/** Resolves once these bytes are taken, or the member has ended within them. */
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
 * Shares the bytes of a compressed file among what comes out, for progress. It depends on nothing but the content, so that
 * it is the same each time.
 */
export class Shares {
  readonly #isCompressed: boolean;
  #left: number;

  constructor({ name, size }: StoredFile) {
    this.#isCompressed = isCompressed(name);
    this.#left = size;
  }

  /** @param bytes of what came out */
  of(bytes: number): number {
    if (!this.#isCompressed) return bytes;
    const share = Math.min(this.#left, Math.ceil(bytes / USUAL_EXPANSION));
    this.#left -= share;
    return share;
  }
}
