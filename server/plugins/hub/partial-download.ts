import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { hold } from '../../../core/hold.ts';

/** A partial download that can resume. Its bytes are in the file `<path>.part`. */
export interface PartialDownload {
  readonly bytes: number;
  /** Strong etag of the file on the hub, from which the bytes come. */
  readonly etag: string;
}

/** The source of a partial download, in `<path>.part.json`. Resuming requires an equal URL and etag. */
export interface Origin {
  readonly url: string;
  readonly etag: string;
}

export const partialPath = (path: string): string => `${path}.part`;
export const originPath = (path: string): string => `${path}.part.json`;

export async function findPartial(path: string, url: string): Promise<PartialDownload | undefined> {
  const found = await stat(partialPath(path)).catch(() => undefined);
  const origin = await readFile(originPath(path), 'utf8').then(readOrigin, () => undefined);
  if (found === undefined || found.size === 0 || origin?.url !== url) return undefined;
  return { bytes: found.size, etag: origin.etag };
}

/** Empties a partial download to start over. Without `origin`, the new partial download cannot resume. */
export async function startPartial(path: string, origin?: Origin): Promise<void> {
  await rm(originPath(path), { force: true });
  await writeFile(partialPath(path), '');
  if (origin !== undefined) await writeFile(originPath(path), JSON.stringify(origin));
}

export async function removePartial(path: string): Promise<void> {
  await rm(originPath(path), { force: true });
  await rm(partialPath(path), { force: true });
}

/**
 * Appends a body to the partial download.
 *
 * @param rest the missing part of the file, its offset, and the maximum bytes of the whole file
 * @returns the length of the partial download in bytes
 */
export async function appendToPartial(
  path: string,
  rest: { from: number; body: NonNullable<Response['body']>; maxBytes: number; onBytes(bytes: number): void },
): Promise<number> {
  const { from, body, maxBytes, onBytes } = rest;
  let bytes = from;
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      onBytes(bytes);
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  }
  const flags = from === 0 ? 'w' : 'r+';
  const file = hold(createWriteStream(partialPath(path), { flags, start: from, flush: true }));
  await pipeline(body, counted, file);
  return bytes;
}

export async function finishPartial(path: string, target: string): Promise<void> {
  await rename(partialPath(path), target);
  await rm(originPath(path), { force: true });
}

/** @returns hexadecimal digits */
export async function sha256OfPartial(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of hold(createReadStream(partialPath(path)))) hash.update(chunk);
  return hash.digest('hex');
}

export const tooLarge = (maxBytes: number): Error => new Error(`it is larger than ${maxBytes} bytes`);

function readOrigin(text: string): Origin | undefined {
  try {
    const { url, etag } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof url === 'string' && isStrongEtag(etag) ? { url, etag } : undefined;
  } catch {
    return undefined;
  }
}

export const isStrongEtag = (etag: unknown): etag is string =>
  typeof etag === 'string' && /^"[\x21\x23-\x7e]{1,200}"$/.test(etag);
