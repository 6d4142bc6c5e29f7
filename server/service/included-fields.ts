import type { Span } from '../../core/contracts/chunk.ts';
import { countUpTo } from '../../core/engine/search.ts';
import { embeddedText } from '../../core/engine/text.ts';
import { asciiColumn, type Column, constantColumn, numberColumn } from '../wire/columns.ts';
import { canonicalJsonText } from '../wire/json-text.ts';
import { chunkIdSeed, chunkIds, contentHash, documentChunkIds } from './chunk-ids.ts';
import type { DocumentChunks } from './document-chunks.ts';
import { INCLUDED, type Included } from './document-schemas.ts';
import type { SourceDocument } from './documents.ts';

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
  const columns = INCLUDED.flatMap((name) =>
    name !== 'id' && wants.has(name) ? COLUMNS[name](document, chunks, identity) : [],
  );
  return { ids: wants.has('id') ? identity.ids : undefined, columns };
}

/** Makes the columns of what may be included. */
const COLUMNS: Readonly<Record<Exclude<Included, 'id'>, ColumnsOf>> = {
  document_id: ({ about }) => [constantColumn('document_id', jsonOf(about?.id))],
  index: (_document, { spans }) => [numberColumn('index', [...spans.keys()])],
  hash: (_document, _chunks, { hashes }) => [asciiColumn('hash', hashes)],
  metadata: ({ about }) => [constantColumn('metadata', about?.metadata)],
  lines: ({ text }, { spans }) => lineColumns(text, spans),
  pages: ({ about }, { spans }) => pageColumns(about?.pages, spans),
  neighbours: (_document, _chunks, { ids }) => neighbourColumns(ids),
};

type ColumnsOf = (document: SourceDocument, chunks: DocumentChunks, identity: Identity) => Column[];

/** What chunks are known by, as far as it is asked for. */
interface Identity {
  readonly hashes: readonly string[];
  readonly ids: readonly string[];
}

const NOTHING_ADDED: AddedFields = { ids: undefined, columns: [] };

/** The ids of the chunks of a document, or of a text without an id. */
export function idsOf(document: SourceDocument, chunks: DocumentChunks, asked: Asked): readonly string[] {
  return identityOf(document, chunks, asked, new Set(['id'])).ids;
}

function identityOf(
  document: SourceDocument,
  chunks: DocumentChunks,
  { namespace, steps }: Asked,
  wants: ReadonlySet<Included>,
): Identity {
  const { text, json, about } = document;
  const wantsIds = wants.has('id') || wants.has('neighbours');
  const wantsHashes = wants.has('hash') || (wantsIds && about?.id !== undefined);
  const hashes = wantsHashes ? hashesOf(text, chunks) : [];
  if (!wantsIds) return { hashes, ids: [] };
  if (about?.id !== undefined) return { hashes, ids: documentChunkIds(namespace, about.id, hashes) };
  return { hashes, ids: chunkIds(chunkIdSeed(steps, canonicalJsonText(text, json)), chunks.spans.length) };
}

/** The hashes of what is embedded of each chunk: its text, after its context and a line feed if it has one. */
function hashesOf(text: string, { spans, refined }: DocumentChunks): string[] {
  if (refined !== undefined)
    return refined.chunks.map((chunk) => contentHash(embeddedText(chunk.text, chunk.context)));
  return spans.map(({ start, end, context }) => contentHash(embeddedText(text.slice(start, end), context)));
}

function jsonOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(JSON.stringify(text));
}

/** The lines of the first and of the last character of each chunk, from 1. */
function lineColumns(text: string, spans: readonly Span[]): Column[] {
  const starts = lineStarts(text);
  return endColumns('line', spans, (offset) => countUpTo(starts, offset) + 1);
}

/** The pages of the first and of the last character of each chunk, from 1; null if the document has none. */
function pageColumns(pages: readonly number[] = [], spans: readonly Span[]): Column[] {
  if (pages.length === 0) return [constantColumn('first_page'), constantColumn('last_page')];
  return endColumns('page', spans, (offset) => countUpTo(pages, offset));
}

/** Where the first and the last character of each chunk are. */
function endColumns(name: string, spans: readonly Span[], at: (offset: number) => number): Column[] {
  const first = spans.map(({ start }) => at(start));
  const last = spans.map((span) => at(lastOf(span)));
  return [numberColumn(`first_${name}`, first), numberColumn(`last_${name}`, last)];
}

/** The last character of a chunk; the place of one without text, which a refinery may leave. */
function lastOf({ start, end }: Span): number {
  return Math.max(start, end - 1);
}

function neighbourColumns(ids: readonly string[]): Column[] {
  return [asciiColumn('previous_id', ids, -1), asciiColumn('next_id', ids, 1)];
}

/** Where the lines of a text begin, in UTF-16 units, without the first. LF, CRLF and CR end lines. */
function lineStarts(text: string): number[] {
  const starts: number[] = [];
  let [lf, cr] = [text.indexOf('\n'), text.indexOf('\r')];
  while (lf !== -1 || cr !== -1) {
    const isCr = cr !== -1 && (lf === -1 || cr < lf);
    const end = isCr && lf !== cr + 1 ? cr + 1 : lf + 1;
    starts.push(end);
    if (lf !== -1 && lf < end) lf = text.indexOf('\n', end);
    if (cr !== -1 && cr < end) cr = text.indexOf('\r', end);
  }
  return starts;
}
