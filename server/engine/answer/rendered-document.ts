import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Span } from '../../../core/contracts/chunk.ts';
import { embeddedText } from '../../../core/engine/cuts/cuts.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { toUuid } from '../../../plugins/toolkit/uuid.ts';
import { INCLUDED, type Included } from '../read/document-schemas.ts';
import { type GivenChunks, hasMetadata, type Input, type SourceDocument } from '../read/documents.ts';
import { canonicalJson, canonicalJsonText, type JsonText } from '../read/json.ts';
import type { Plan } from '../read/plan.ts';
import { type DocumentChunks, writtenChunks } from './chunk-set.ts';
import {
  asciiColumn,
  type Column,
  constantColumn,
  jsonColumn,
  numberColumn,
  type WrittenChunk,
  type WrittenDocument,
} from './chunk-writer.ts';
import { leftOutColumns, pageColumns, placeColumns } from './places.ts';

/** Fields of every chunk of a pipeline; null if no step has set a value. */
const PIPELINE_FIELDS = Object.freeze({ context: null, embedding: null });
const NONE = Object.freeze({});

/** The bytes of a chunk without text, with offsets of one digit. */
const MIN_CHUNK_SIZE = '{"text":"","start_index":0,"end_index":0,"token_count":0},'.length;

/** A lower bound for the bytes of an input's chunks, for refusing a large answer before it is built. */
export function minBytes(input: Input, { spans, refined, offsets }: DocumentChunks, plan: Plan): number {
  const count = refined?.chunks.length ?? spans.length;
  const hasMetadata = !('chunks' in input) && plan.include.includes('metadata');
  const each = MIN_CHUNK_SIZE + (hasMetadata ? (input.about?.metadata?.length ?? 0) : 0);
  let texts = 0;
  if (refined === undefined && offsets !== undefined)
    for (let index = 0; index < count; index++)
      texts += (offsets.to[index] as number) - (offsets.from[index] as number);
  return count * each + texts;
}

export function writtenDocument(input: Input, given: DocumentChunks, plan: Plan): WrittenDocument {
  const chunks = writtenChunks(given);
  if ('chunks' in input)
    return { chunks, ids: undefined, nullable: NONE, columns: keptMetadata(input, chunks) };
  const { include, pipeline } = plan;
  const isPlain = include.length === 0 && pipeline === undefined;
  if (isPlain) return { chunks, ids: undefined, nullable: NONE, columns: [] };
  const wants = new Set(include);
  if (pipeline !== undefined) wants.add('id');
  const identity = identityOf(input, given, plan, wants);
  const columns: Column[] = [];
  for (const name of INCLUDED)
    if (name !== 'id' && wants.has(name)) columns.push(...COLUMNS[name](input, given, identity));
  const ids = wants.has('id') ? identity.ids : undefined;
  const nullable = pipeline === undefined ? NONE : PIPELINE_FIELDS;
  return { chunks, ids, nullable, columns, packsVectors: plan.packsVectors };
}

const COLUMNS: Readonly<Record<Exclude<Included, 'id'>, ColumnsOf>> = {
  document_id: ({ about }) => [constantColumn('document_id', Buffer.from(JSON.stringify(about?.id ?? null)))],
  index: (_document, { spans }) => [
    numberColumn(
      'index',
      spans.map((_, index) => index),
    ),
  ],
  hash: (_document, _chunks, { hashes }) => [asciiColumn('hash', hashes)],
  metadata: ({ about }) => [constantColumn('metadata', about?.metadata)],
  lines: ({ text }, { spans }) => lineColumns(text, spans),
  pages: ({ about }, { spans }) => pageColumns(about?.places, spans),
  places: ({ about }, { spans }) => placeColumns(about?.places, spans),
  left_out: ({ about }, { spans }) => leftOutColumns(about?.leftOut, spans),
  neighbours: (_document, _chunks, { ids }) => neighbourColumns(ids),
};

type ColumnsOf = (document: SourceDocument, chunks: DocumentChunks, identity: Identity) => Column[];

interface Identity {
  readonly hashes: readonly string[];
  readonly ids: readonly string[];
}

function identityOf(
  document: SourceDocument,
  chunks: DocumentChunks,
  { namespace, stages, pipeline }: Plan,
  wants: ReadonlySet<Included>,
): Identity {
  const { text, json, about } = document;
  const wantsIds = wants.has('id') || wants.has('neighbours');
  const wantsHashes = wants.has('hash') || (wantsIds && about?.id !== undefined);
  const hashes = wantsHashes ? hashesOf(text, chunks) : [];
  if (!wantsIds) return { hashes, ids: [] };
  if (about?.id !== undefined) return { hashes, ids: documentChunkIds(namespace, about.id, hashes) };
  const canonical = canonicalJsonText(text, json);
  return { hashes, ids: chunkIds(pipeline ?? stages, canonical, chunks.spans.length) };
}

function hashesOf(text: string, { spans, refined }: DocumentChunks): string[] {
  if (refined !== undefined)
    return refined.chunks.map((chunk) => contentHash(embeddedText(chunk.text, chunk.context)));
  const hashes: string[] = [];
  for (const { start, end, context } of spans)
    hashes.push(contentHash(embeddedText(text.slice(start, end), context)));
  return hashes;
}

function lineColumns(text: string, spans: readonly Span[]): Column[] {
  const starts = lineStarts(text);
  const lineAt = (offset: number) => countUpTo(starts, offset) + 1;
  const first = spans.map(({ start }) => lineAt(start));
  const last = spans.map((span) => lineAt(lastOf(span)));
  return [numberColumn('first_line', first), numberColumn('last_line', last)];
}

function lastOf({ start, end }: Span): number {
  return Math.max(start, end - 1);
}

function neighbourColumns(ids: readonly string[]): Column[] {
  return [asciiColumn('previous_id', ids, -1), asciiColumn('next_id', ids, 1)];
}

function lineStarts(text: string): number[] {
  const starts: number[] = [];
  let lf = text.indexOf('\n');
  let cr = text.indexOf('\r');
  while (lf !== -1 || cr !== -1) {
    const isCr = cr !== -1 && (lf === -1 || cr < lf);
    const end = isCr && lf !== cr + 1 ? cr + 1 : lf + 1;
    starts.push(end);
    if (lf !== -1 && lf < end) lf = text.indexOf('\n', end);
    if (cr !== -1 && cr < end) cr = text.indexOf('\r', end);
  }
  return starts;
}

const BYTES = 16;
const HASH_BYTES = 32;

/**
 * Chunk ids of a text without an id: UUIDs of version 8 (RFC 9562), derived from the steps, the text and the chunk's
 * index. A second run gives the same ids, so it updates a vector store instead of doubling it. Equal chunks have
 * different ids.
 *
 * Each digest is one call, because a `Hash` object would keep the strings of the request in memory.
 *
 * @param text the document's text as canonical JSON
 */
function chunkIds(steps: readonly object[], text: JsonText, count: number): string[] {
  if (count === 0) return [];
  const head = Buffer.from(`${canonicalJson(steps)}\n`);
  const seed = hash('blake2b512', Buffer.concat([head, hash('sha512', text, 'buffer')]), 'buffer');
  const digits = hash('shake256', seed, { outputEncoding: 'hex', outputLength: count * BYTES });
  return Array.from({ length: count }, (_, index) => toUuid(digits, index * 2 * BYTES));
}

function contentHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * Chunk ids of a document with an id: UUIDs of version 8 (RFC 9562). If the document is edited, unchanged chunks
 * keep their ids. Repeated passages have different ids.
 *
 * A UUID is made from the first 16 bytes of a SHA-256 over four parts: the SHA-256 of the namespace, the SHA-256 of
 * the document's id, the chunk's hash, and the number of earlier chunks with that hash as a big-endian 64-bit
 * integer.
 *
 * @param hashes of the chunks in their order, by `contentHash`
 */
function documentChunkIds(namespace: string, documentId: string, hashes: readonly string[]): string[] {
  const parts = Buffer.alloc(3 * HASH_BYTES + 8);
  parts.write(contentHash(namespace), 'hex');
  parts.write(contentHash(documentId), HASH_BYTES, 'hex');
  const seen = new Map<string, number>();
  const ids: string[] = [];
  for (const own of hashes) {
    const before = seen.get(own) ?? 0;
    seen.set(own, before + 1);
    parts.write(own, 2 * HASH_BYTES, 'hex');
    parts.writeUInt32BE(before, parts.length - 4);
    ids.push(toUuid(hash('sha256', parts, 'hex')));
  }
  return ids;
}

/** The original metadata of refined chunks, because parsing changes numbers such as 1e400. */
function keptMetadata({ chunks, metadata }: GivenChunks, refined: readonly WrittenChunk[]): Column[] {
  if (metadata === undefined) return [];
  const given = new Map(
    chunks.map((chunk, index) => [chunk.metadata, hasMetadata(chunk) ? metadata[index] : undefined]),
  );
  const values = refined.map(({ fields }, index) => {
    const value = fields?.metadata;
    if (value === undefined) return undefined;
    // A refinery may have copied the whole chunk, so equal metadata counts as original.
    const isCopy = () => isDeepStrictEqual(value, chunks[index]?.metadata);
    return given.get(value) ?? (isCopy() ? metadata[index] : undefined) ?? Buffer.from(JSON.stringify(value));
  });
  return [jsonColumn('metadata', values)];
}
