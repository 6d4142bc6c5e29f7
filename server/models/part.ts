import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What has come of a file, beside the place where it will be, and can be gone on with. */
export interface Part {
  readonly bytes: number;
  /** The strong etag of what it is a part of. */
  readonly etag: string;
}

/** What must stay the same for a part to be gone on with. */
interface Note {
  readonly url: string;
  readonly etag: string;
}

export const partPath = (target: string): string => `${target}.part`;
const notePath = (target: string): string => `${target}.part.json`;

/** The part of a file that came from this URL before, where there is one. */
export async function readPart(target: string, url: string): Promise<Part | undefined> {
  const found = await stat(partPath(target)).catch(() => undefined);
  const note = await readFile(notePath(target), 'utf8').then(noteOf, () => undefined);
  if (found === undefined || found.size === 0 || note?.url !== url) return undefined;
  return { bytes: found.size, etag: note.etag };
}

/** Makes room for a new part. Without a note it is never gone on with. */
export async function beginPart(target: string, note: Note | undefined): Promise<void> {
  await removePart(target);
  if (note !== undefined) await writeFile(notePath(target), JSON.stringify(note));
}

export async function removePart(target: string): Promise<void> {
  await rm(notePath(target), { force: true });
  await rm(partPath(target), { force: true });
}

/**
 * Writes what comes to the end of the part.
 *
 * @param from bytes that are there already
 * @param heard is called with the bytes that are there now
 * @returns the bytes that are there in the end
 */
export async function writePart(
  target: string,
  from: number,
  body: NonNullable<Response['body']>,
  maxBytes: number,
  heard: (bytes: number) => void,
): Promise<number> {
  let bytes = from;
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      heard(bytes);
      done(bytes > maxBytes ? tooLarge(maxBytes) : null, chunk);
    },
  });
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const flags = from === 0 ? 'w' : 'r+';
  await pipeline(source, limit, createWriteStream(partPath(target), { flags, start: from, flush: true }));
  return bytes;
}

/** Puts the part, which is whole now, into its place. */
export async function placePart(target: string): Promise<void> {
  await rename(partPath(target), target);
  await rm(notePath(target), { force: true });
}

/** @returns hexadecimal digits */
export async function sha256OfPart(target: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(partPath(target))) hash.update(chunk);
  return hash.digest('hex');
}

export const tooLarge = (maxBytes: number): Error => new Error(`it is larger than ${maxBytes} bytes`);

function noteOf(text: string): Note | undefined {
  try {
    const { url, etag } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof url === 'string' && isStrongEtag(etag) ? { url, etag } : undefined;
  } catch {
    return undefined;
  }
}

export const isStrongEtag = (etag: unknown): etag is string =>
  typeof etag === 'string' && /^"[\x21\x23-\x7e]{1,200}"$/.test(etag);
