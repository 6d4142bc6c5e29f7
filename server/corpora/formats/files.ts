import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../../core/errors.ts';
import type { ReadOptions, ShardRange, SourceDocument, SourceLine, SourceLines } from '../shard.ts';
import { isForbidden } from '../storage/local/paths.ts';
import { type SkipNote, type SourceStorage, type StoredFile, UNREAD } from '../storage/storage.ts';
import { decompressed, isCompressed, uncompressedName } from './compression.ts';
import { documentLine, quoted, quotedUtf8, withoutMark } from './map-fields.ts';

/** Maximum number and total bytes of files that are read concurrently. A larger file is read alone. */
const AT_A_TIME = 8;
const BYTES_AT_A_TIME = 64 * 1024 * 1024;
/** Bytes at the start of a file that are searched for NUL. As in git, a text has none there. */
const LOOKED_AT = 8000;

/**
 * Reads files that are single documents, several at a time, and returns them in order. An error in one file
 * does not affect the others. `decode` reads files that are not UTF-8, and UTF-8 files of formats that it
 * knows. All other UTF-8 is used unchanged.
 *
 * @throws ServiceError `storage_failed`
 */
export async function* readFiles(
  storage: SourceStorage,
  { files }: ShardRange,
  options: ReadOptions,
): SourceLines {
  const reading: { readonly size: number; readonly line: Promise<SourceLine> }[] = [];
  let next = 0;
  let bytes = 0;
  const isRoom = (size: number) =>
    reading.length === 0 || (reading.length < AT_A_TIME && bytes + size <= BYTES_AT_A_TIME);
  try {
    while (next < files.length || reading.length > 0) {
      for (let file = files[next]; file !== undefined && isRoom(file.size); file = files[next]) {
        const line = readFile(storage, file, options);
        // The promise is awaited later, in its turn. Until then, a rejection must not count as unhandled.
        line.catch(() => undefined);
        reading.push({ size: file.size, line });
        bytes += file.size;
        next++;
      }
      const first = reading.shift();
      if (first === undefined) continue;
      yield [await first.line];
      bytes -= first.size;
    }
  } finally {
    await Promise.allSettled(reading.map(({ line }) => line));
  }
}

async function readFile(storage: SourceStorage, file: StoredFile, options: ReadOptions): Promise<SourceLine> {
  const place = { source: file.name };
  if (file.unread !== undefined) return { place, ...file.unread };
  try {
    const bytes = await bytesOf(storage, file, options);
    const line = await lineOf(file.name, bytes, options);
    return 'skipped' in line ? { place, ...line } : { place, size: file.size, ...line };
  } catch (error) {
    if (error instanceof ServiceError && isForbidden(error.cause)) return { place, ...UNREAD.forbidden };
    if (error instanceof ServiceError && error.code !== 'storage_failed')
      return { place, size: file.size, document: error };
    throw error;
  }
}

async function bytesOf(storage: SourceStorage, file: StoredFile, options: ReadOptions): Promise<Buffer> {
  const { limit, signal } = options;
  const tooLarge = () => new ServiceError('line_too_large', { what: `The file ${file.name}`, limit });
  if (file.size > limit && !isCompressed(file.name)) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of decompressed(file, storage.read(file), limit)) {
    signal?.throwIfAborted();
    size += piece.length;
    if (size > limit) throw tooLarge();
    pieces.push(piece);
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

const NOT_TEXT: SkipNote = { skipped: 'binary', detail: 'It is not text.', brief: 'are binary' };

async function lineOf(
  name: string,
  bytes: Buffer,
  { decode }: ReadOptions,
): Promise<Pick<SourceDocument, 'document' | 'leftOut'> | SkipNote> {
  const filename = uncompressedName(name);
  const about = { id: quoted(name), filename: quoted(filename) };
  const isPlain = isText(bytes);
  const decoded = await decode?.({ bytes, name: filename, isText: isPlain });
  if (decoded === undefined && isPlain)
    return { document: documentLine({ ...about, text: quotedUtf8(withoutMark(bytes)) }) };
  if (decoded === undefined || 'skipped' in decoded) return decoded ?? NOT_TEXT;
  const { text, title, mediaType, places, metadata, leftOut, leftOutTexts } = decoded;
  const document = documentLine({
    ...about,
    text: quoted(text),
    title: title === undefined ? undefined : quoted(title),
    media_type: mediaType === undefined ? undefined : quoted(mediaType),
    places: places === undefined ? undefined : Buffer.from(JSON.stringify(places)),
    left_out: leftOutTexts?.length ? Buffer.from(JSON.stringify(leftOutTexts)) : undefined,
    metadata: metadata === undefined ? undefined : Buffer.from(JSON.stringify(metadata)),
  });
  return { document, leftOut };
}

function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, LOOKED_AT).includes(0) && isUtf8(bytes);
}
