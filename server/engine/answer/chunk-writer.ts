import { vectorBase64 } from '../../../plugins/toolkit/json/ascii-numbers.ts';
import type { JsonText } from '../read/json.ts';
import { type ByteWriter, writeWithin } from './byte-writer.ts';

/** One chunk to be written. Its text is `before`, then bytes `[from, to)` of `source`, then `after`. */
export interface WrittenChunk {
  readonly source: JsonText;
  readonly from: number;
  readonly to: number;
  readonly before: string;
  readonly after: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  /** Further fields, in the order of the answer. Fields that every chunk has, such as `text`, are skipped. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export interface WrittenDocument {
  readonly chunks: readonly WrittenChunk[];
  /** Ids of the chunks, written first; undefined if the chunks have no ids. */
  readonly ids: readonly string[] | undefined;
  /** Fields that every chunk has in the answer: null for a chunk without a value. */
  readonly nullable: Readonly<Record<string, null>>;
  /** Fields that the service adds at the end of each chunk. They replace other fields of the same names. */
  readonly columns: readonly Column[];
  /** Whether the vectors of `embedding` are written as base64. */
  readonly packsVectors?: boolean | undefined;
}

/**
 * Writes the chunks of documents as JSON: a list, or a list of lists for a batch. A `Float32Array` becomes a list of
 * numbers with the fewest digits that keep their single precision.
 *
 * @param limit maximum bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeChunks(
  documents: readonly WrittenDocument[],
  isBatch: boolean,
  limit: number,
): Uint8Array<ArrayBuffer> {
  const size = documents.reduce((sum, document) => sum + estimateBytes(document), FIRST_SIZE);
  return writeWithin(limit, size, (writer) => {
    if (isBatch) writer.ascii('[');
    documents.forEach((document, index) => {
      if (index > 0) writer.ascii(',');
      writeList(writer, document);
    });
    if (isBatch) writer.ascii(']');
  });
}

const FIRST_SIZE = 1024;
/** Estimated bytes for allocating the answer. */
const CHUNK_BYTES = 112;
const FIELD_BYTES = 48;
const VECTOR_NUMBER_BYTES = 13;

/** Estimates the bytes of a document's chunks, because a single allocation saves copies. */
function estimateBytes({ chunks, ids, nullable, columns }: WrittenDocument): number {
  const own = (Object.keys(nullable).length + (ids === undefined ? 0 : 1)) * FIELD_BYTES;
  const added = columns.reduce((sum, { bytes }) => sum + bytes, own);
  let size = chunks.length * added;
  for (const { from, to, before, after, fields } of chunks) {
    size += CHUNK_BYTES + (to - from) + before.length + after.length;
    for (const name in fields) {
      const value = fields[name];
      size += FIELD_BYTES + (typeof value === 'string' ? value.length : 0);
      if (value instanceof Float32Array) size += value.length * VECTOR_NUMBER_BYTES;
    }
  }
  return size;
}

export function writeList(writer: ByteWriter, document: WrittenDocument): void {
  writer.ascii('[');
  writeEach(writer, document, ',');
  writer.ascii(']');
}

export function writeLines(writer: ByteWriter, document: WrittenDocument): void {
  writeEach(writer, document, '\n');
  if (document.chunks.length > 0) writer.ascii('\n');
}

/** @param between one ASCII character to write between two chunks */
function writeEach(writer: ByteWriter, document: WrittenDocument, between: string): void {
  const { chunks, ids, nullable, columns } = document;
  const rest: Rest = { document, heads: new Map(), written: new Map() };
  for (let index = 0; index < chunks.length; index++) {
    if (index > 0) writer.ascii(between);
    if (ids !== undefined) writeId(writer, ids[index] as string);
    else writer.bytes(TEXT, 0, TEXT.length);
    const chunk = chunks[index] as WrittenChunk;
    writeChunk(writer, chunk, rest);
    for (const name in nullable) if (chunk.fields?.[name] === undefined) writeNull(writer, name);
    for (const column of columns) column.write(writer, index);
    writer.ascii('}');
  }
}

function writeId(writer: ByteWriter, id: string): void {
  writer.bytes(ID, 0, ID.length);
  writer.ascii(id);
  writer.bytes(TEXT_BEHIND_ID, 0, TEXT_BEHIND_ID.length);
}

const ID = Buffer.from('{"id":"');
const TEXT_BEHIND_ID = Buffer.from('","text":"');
const TEXT = Buffer.from('{"text":"');
const START = Buffer.from('","start_index":');
const END = Buffer.from(',"end_index":');
const COUNT = Buffer.from(',"token_count":');

function writeChunk(writer: ByteWriter, chunk: WrittenChunk, rest: Rest): void {
  const { before, after, fields } = chunk;
  if (before !== '') writer.characters(before);
  writer.bytes(chunk.source, chunk.from, chunk.to);
  if (after !== '') writer.characters(after);
  writer.bytes(START, 0, START.length);
  writer.number(chunk.start_index);
  writer.bytes(END, 0, END.length);
  writer.number(chunk.end_index);
  writer.bytes(COUNT, 0, COUNT.length);
  writer.number(chunk.token_count);
  if (fields !== undefined) writeFields(writer, fields, rest);
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['text', 'start_index', 'end_index', 'token_count']);

interface Rest {
  readonly document: WrittenDocument;
  /** The JSON before each field's value: comma, name, colon. `SKIPPED` for fields that are written elsewhere. */
  readonly heads: Map<string, Uint8Array>;
  /** JSON of objects and lists by identity, because many chunks share them. */
  readonly written: Map<unknown, string>;
}

const SKIPPED = new Uint8Array(0);

function writeFields(writer: ByteWriter, fields: Readonly<Record<string, unknown>>, rest: Rest): void {
  const { document, heads, written } = rest;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    const head = heads.get(name) ?? addHead(name, rest);
    if (head === SKIPPED) continue;
    if (typeof value === 'string') {
      writer.bytes(head, 0, head.length);
      writer.text(value);
    } else if (isListOfTexts(value)) {
      writer.bytes(head, 0, head.length);
      writer.texts(value);
    } else if (value instanceof Float32Array) {
      writer.bytes(head, 0, head.length);
      if (document.packsVectors === true && name === 'embedding') writer.ascii(`"${vectorBase64(value)}"`);
      else writer.vector(value);
    } else {
      const json = written.get(value) ?? (JSON.stringify(value) as string | undefined);
      if (json === undefined) continue;
      if (typeof value === 'object') written.set(value, json);
      writer.bytes(head, 0, head.length);
      writer.json(json);
    }
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++) if (typeof value[index] !== 'string') return false;
  return true;
}

function writeNull(writer: ByteWriter, name: string): void {
  const head = headOf(name);
  writer.bytes(head, 0, head.length);
  writer.ascii('null');
}

/** Maximum names whose JSON is cached, because requests may contain any name. */
const MAX_HEADS = 1000;
const HEADS = new Map<string, Uint8Array>();

function headOf(name: string): Uint8Array {
  const known = HEADS.get(name);
  if (known !== undefined) return known;
  const head = Buffer.from(`,${JSON.stringify(name)}:`);
  if (HEADS.size < MAX_HEADS) HEADS.set(name, head);
  return head;
}

function addHead(name: string, { document: { ids, columns }, heads }: Rest): Uint8Array {
  const isTaken =
    OWN_FIELDS.has(name) ||
    (name === 'id' && ids !== undefined) ||
    columns.some((column) => column.name === name);
  const head = isTaken ? SKIPPED : headOf(name);
  heads.set(name, head);
  return head;
}

export interface Column {
  readonly name: string;
  readonly bytes: number;
  write(writer: ByteWriter, chunk: number): void;
}

const NUMBER_BYTES = 8;
const NULL = Buffer.from('null');

export function numberColumn(name: string, numbers: ArrayLike<number | null>): Column {
  const head = headOf(name);
  return {
    name,
    bytes: head.length + NUMBER_BYTES,
    write(writer, chunk) {
      const number = numbers[chunk] as number | null;
      writer.bytes(head, 0, head.length);
      if (number === null) writer.bytes(NULL, 0, NULL.length);
      else writer.number(number);
    },
  };
}

/**
 * A field with a text for each chunk, or null for chunks without a text.
 *
 * @param texts ASCII that needs no escape, such as ids
 * @param shift number of chunks from the chunk with the field to the chunk whose text is written
 */
export function asciiColumn(name: string, texts: readonly string[], shift = 0): Column {
  const head = headOf(name);
  return {
    name,
    bytes: head.length + (texts[0]?.length ?? 0) + 2,
    write(writer, chunk) {
      const text = texts[chunk + shift];
      writer.bytes(head, 0, head.length);
      if (text === undefined) writer.bytes(NULL, 0, NULL.length);
      else {
        writer.ascii('"');
        writer.ascii(text);
        writer.ascii('"');
      }
    },
  };
}

/** A field with the same value for all chunks. @param json JSON of the value; default null */
export function constantColumn(name: string, json: Uint8Array = NULL): Column {
  const member = Buffer.concat([headOf(name), json]);
  return { name, bytes: member.length, write: (writer) => writer.bytes(member, 0, member.length) };
}

/** A field with JSON for some chunks; the other chunks lack the field. */
export function jsonColumn(name: string, values: readonly (Uint8Array | undefined)[]): Column {
  const head = headOf(name);
  const total = values.reduce(
    (sum, value) => sum + (value === undefined ? 0 : head.length + value.length),
    0,
  );
  return {
    name,
    bytes: values.length === 0 ? 0 : Math.ceil(total / values.length),
    write(writer, chunk) {
      const value = values[chunk];
      if (value === undefined) return;
      writer.bytes(head, 0, head.length);
      writer.bytes(value, 0, value.length);
    },
  };
}
