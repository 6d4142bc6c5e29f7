import type { Span } from '../../core/contracts/chunk.ts';
import { asciiColumn, type Column, constantColumn, numberColumn } from '../wire/columns.ts';
import { canonicalJsonText } from '../wire/json-text.ts';
import { chunkIdSeed, chunkIds, contentHash, documentChunkIds } from './chunk-ids.ts';
import type { DocumentChunks } from './document-chunks.ts';
import type { Included } from './document-schemas.ts';
import type { SourceDocument } from './documents.ts';
import { countUpTo, lineStarts } from './text-places.ts';

/** What a request says of the fields of its chunks. */
export interface Asked {
  readonly include: readonly Included[];
  readonly namespace: string;
  /** The steps that made the chunks; the ids of chunks of a text without an id follow from them. */
  readonly steps: readonly object[];
}

/** The fields that the service adds to the chunks of one document. */
export interface AddedFields {
  /** Undefined if they are not asked for. */
  readonly ids: readonly string[] | undefined;
  readonly columns: readonly Column[];
}

/** Makes the fields that are asked for, all of them in the order of `INCLUDED`. */
export function addedFields(document: SourceDocument, chunks: DocumentChunks, asked: Asked): AddedFields {
  if (asked.include.length === 0) return NOTHING_ADDED;
  const wants = new Set(asked.include);
  const identity = identityOf(document, chunks, asked, wants);
  const columns = [
    ...(wants.has('document_id') ? [constantColumn('document_id', jsonOf(document.about?.id))] : []),
    ...(wants.has('index')
      ? [
          numberColumn(
            'index',
            chunks.spans.map((_, index) => index),
          ),
        ]
      : []),
    ...(wants.has('hash')
      ? [
          asciiColumn(
            'hash',
            identity.hashes.map((hash) => hash.toString('hex')),
          ),
        ]
      : []),
    ...(wants.has('metadata') ? [constantColumn('metadata', document.about?.metadata)] : []),
    ...(wants.has('lines') ? lineColumns(document.text, chunks.spans) : []),
    ...(wants.has('pages') ? pageColumns(document.about?.pages, chunks.spans) : []),
    ...(wants.has('neighbours') ? neighbourColumns(identity.ids) : []),
  ];
  return { ids: wants.has('id') ? identity.ids : undefined, columns };
}

const NOTHING_ADDED: AddedFields = { ids: undefined, columns: [] };

/** The ids of the chunks of a document, or of a text without an id. */
export function idsOf(document: SourceDocument, chunks: DocumentChunks, asked: Asked): string[] {
  return identityOf(document, chunks, asked, new Set(['id'])).ids;
}

function identityOf(
  document: SourceDocument,
  chunks: DocumentChunks,
  { namespace, steps }: Asked,
  wants: ReadonlySet<Included>,
) {
  const { text, json, about } = document;
  const wantsIds = wants.has('id') || wants.has('neighbours');
  const wantsHashes = wants.has('hash') || (wantsIds && about?.id !== undefined);
  const hashes = wantsHashes ? hashesOf(text, chunks) : [];
  if (!wantsIds) return { hashes, ids: [] };
  if (about?.id !== undefined) return { hashes, ids: documentChunkIds(namespace, about.id, hashes) };
  return { hashes, ids: chunkIds(chunkIdSeed(steps, canonicalJsonText(text, json)), chunks.spans.length) };
}

/** The hashes of what is embedded of each chunk: its text, after its context and a line feed if it has one. */
function hashesOf(text: string, { spans, refined }: DocumentChunks): Buffer[] {
  if (refined === undefined) return spans.map(({ start, end }) => contentHash(text.slice(start, end)));
  return refined.chunks.map(({ text, context }) =>
    contentHash(typeof context === 'string' && context !== '' ? `${context}\n${text}` : text),
  );
}

function jsonOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(JSON.stringify(text));
}

/** The lines of the first and of the last character of each chunk, from 1. */
function lineColumns(text: string, spans: readonly Span[]): Column[] {
  const starts = lineStarts(text);
  const lineAt = (offset: number) => countUpTo(starts, offset) + 1;
  return [
    numberColumn(
      'first_line',
      spans.map(({ start }) => lineAt(start)),
    ),
    numberColumn(
      'last_line',
      spans.map((span) => lineAt(lastOf(span))),
    ),
  ];
}

/** The pages of the first and of the last character of each chunk, from 1; null if the document has none. */
function pageColumns(pages: readonly number[] = [], spans: readonly Span[]): Column[] {
  if (pages.length === 0) return [constantColumn('first_page'), constantColumn('last_page')];
  return [
    numberColumn(
      'first_page',
      spans.map(({ start }) => countUpTo(pages, start)),
    ),
    numberColumn(
      'last_page',
      spans.map((span) => countUpTo(pages, lastOf(span))),
    ),
  ];
}

/** The last character of a chunk; the place of one without text, which a refinery may leave. */
function lastOf({ start, end }: Span): number {
  return Math.max(start, end - 1);
}

function neighbourColumns(ids: readonly string[]): Column[] {
  return [asciiColumn('previous_id', ids, -1), asciiColumn('next_id', ids, 1)];
}
