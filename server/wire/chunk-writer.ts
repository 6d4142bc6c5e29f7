import { ByteWriter } from './byte-writer.ts';
import type { JsonText } from './json-text.ts';

/**
 * One chunk, ready to be written. Its text is `before`, then the source's JSON between the bytes `from` and `to`,
 * which is copied, then `after`.
 */
export interface WrittenChunk {
  readonly id: string | undefined;
  readonly source: JsonText;
  readonly from: number;
  readonly to: number;
  readonly before: string;
  readonly after: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  /** Further fields, in the order of the answer; the fields that every chunk has are skipped. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes the chunks of documents as JSON: a list, or a list of lists for a batch. A field that is a
 * `Float32Array` becomes a list of numbers with eight decimals.
 *
 * @param limit most bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeChunks(
  documents: readonly (readonly WrittenChunk[])[],
  isBatch: boolean,
  limit: number,
): Uint8Array<ArrayBuffer> {
  let size = FIRST_SIZE;
  for (const chunks of documents) for (const chunk of chunks) size += sizeOf(chunk);
  const writer = new ByteWriter(limit, Math.min(size, limit + FIRST_SIZE));
  if (isBatch) writer.ascii('[');
  documents.forEach((chunks, place) => {
    writer.ascii(place === 0 ? '[' : ',[');
    writeList(writer, chunks);
    writer.ascii(']');
  });
  if (isBatch) writer.ascii(']');
  return writer.written();
}

const FIRST_SIZE = 1024;
/** Bytes that a chunk takes besides its texts, and that each further field takes; estimates. */
const CHUNK_BYTES = 112;
const FIELD_BYTES = 48;

/** Estimates the bytes of a chunk: making room for all chunks at once saves copies. */
function sizeOf({ id, from, to, before, after, fields }: WrittenChunk): number {
  let size = CHUNK_BYTES + (id === undefined ? 0 : FIELD_BYTES) + (to - from) + before.length + after.length;
  for (const name in fields) {
    const value = fields[name];
    size += FIELD_BYTES + (typeof value === 'string' ? value.length : 0);
  }
  return size;
}

// In a function of its own, which V8 can optimise: a document may have a million chunks.
function writeList(writer: ByteWriter, chunks: readonly WrittenChunk[]): void {
  for (let index = 0; index < chunks.length; index++) {
    if (index > 0) writer.ascii(',');
    writeChunk(writer, chunks[index] as WrittenChunk);
  }
}

const TEXT = ascii('{"text":"');
const START = ascii('","start_index":');
const END = ascii(',"end_index":');
const COUNT = ascii(',"token_count":');

function writeChunk(writer: ByteWriter, chunk: WrittenChunk): void {
  const { id, before, after, fields } = chunk;
  if (id === undefined) writer.bytes(TEXT, 0, TEXT.length);
  else {
    writer.ascii('{"id":"');
    writer.ascii(id);
    writer.ascii('","text":"');
  }
  if (before !== '') writer.characters(before);
  writer.bytes(chunk.source, chunk.from, chunk.to);
  if (after !== '') writer.characters(after);
  writer.bytes(START, 0, START.length);
  writer.number(chunk.start_index);
  writer.bytes(END, 0, END.length);
  writer.number(chunk.end_index);
  writer.bytes(COUNT, 0, COUNT.length);
  writer.number(chunk.token_count);
  if (fields !== undefined) writeFields(writer, fields, id !== undefined);
  writer.ascii('}');
}

const OWN_FIELDS = new Set(['text', 'start_index', 'end_index', 'token_count']);

function writeFields(writer: ByteWriter, fields: Readonly<Record<string, unknown>>, hasId: boolean): void {
  for (const name in fields) {
    if (OWN_FIELDS.has(name) || (hasId && name === 'id')) continue;
    const value = fields[name];
    if (value === null) writeName(writer, name, 'null');
    else if (typeof value === 'string') {
      writeName(writer, name, '"');
      writer.characters(value);
      writer.ascii('"');
    } else if (value instanceof Float32Array) {
      writeName(writer, name, '');
      writer.vector(value);
    } else {
      const json = JSON.stringify(value) as string | undefined;
      if (json === undefined) continue;
      writeName(writer, name, '');
      writer.json(json);
    }
  }
}

const PLAIN_NAME = /^[\w-]+$/;

function writeName(writer: ByteWriter, name: string, opening: string): void {
  if (PLAIN_NAME.test(name)) writer.ascii(`,"${name}":${opening}`);
  else writer.json(`,${JSON.stringify(name)}:${opening}`);
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
