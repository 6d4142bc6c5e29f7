import type { FromSchema } from 'json-schema-to-ts';
import type { DocumentInfo, OffsetUnit } from '../../../core/contracts/chunk.ts';
import { invalid } from '../../../core/errors.ts';
import { locate } from '../answer/locate.ts';
import { utf16Offsets } from '../answer/offsets.ts';
import { checkDocuments, checkMetadata, type Limits } from '../limits.ts';
import { readId } from './document-id.ts';
import type { documentSchema } from './document-schemas.ts';
import { findElements, findMembers, type JsonPlace, type JsonText, literalOf } from './json.ts';

/** The text of a request, and the same text as the content of a JSON literal. */
export interface SourceDocument {
  readonly text: string;
  readonly json: JsonText;
  /** What the request says about it, if it gives a document and not only a text. */
  readonly about?: AboutDocument;
}

/** What a request says about a document besides its text. Plain data. */
export interface AboutDocument {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly filename?: string | undefined;
  /** The format of the text, if a reader names one. */
  readonly mediaType?: string | undefined;
  /** The JSON of an object, as it came. */
  readonly metadata?: Uint8Array | undefined;
  /** Where the pages begin, in UTF-16 units of the text; never decreasing. */
  readonly pages?: readonly number[] | undefined;
}

/** A parsed document, checked against its schema. */
export type ParsedDocument = FromSchema<typeof documentSchema>;

/**
 * Converts the documents of a request.
 *
 * @param body the request's JSON, with the documents in its member `documents`
 * @param unit of their pages
 * @throws ServiceError `invalid_parameters`: too many, too long, two with one id, or invalid pages
 */
export function readDocuments(
  documents: readonly ParsedDocument[],
  body: Buffer,
  unit: OffsetUnit,
  limits: Limits,
): SourceDocument[] {
  const [list] = findMembers(body, 0, ['documents']) as readonly [JsonPlace];
  checkList(documents, { body, at: list.from }, limits);
  const places = findElements(body, list.from);
  return documents.map((document, index) => {
    const given = { body, at: (places[index] as JsonPlace).from, place: `documents[${index}].` };
    return readDocument(document, given, unit, limits);
  });
}

/**
 * Checks a list of documents that are read later, one by one.
 *
 * @param list where it begins in the request
 * @throws ServiceError `invalid_parameters`: too many, too long, or two with one id
 */
export function checkList(
  documents: readonly ParsedDocument[],
  { body, at }: Pick<DocumentPosition, 'body' | 'at'>,
  limits: Limits,
): void {
  checkDocuments(documents, limits);
  const isNumbered = documents.some(({ id }) => typeof id === 'number');
  const places = isNumbered ? findElements(body, at) : [];
  checkIds(
    documents.map(({ id }, index) => readId(id, body, places[index]?.from ?? 0, `documents[${index}].`)),
  );
}

/** Where a document is in a request, and how messages name that place. */
interface DocumentPosition {
  readonly body: Buffer;
  readonly at: number;
  /** Put before the name of a member: `documents[3].`. */
  readonly place: string;
}

/**
 * Converts a parsed document.
 *
 * @throws ServiceError `invalid_parameters`: metadata that is too long, or invalid pages
 */
export function readDocument(
  { text, id, title, filename, pages }: ParsedDocument,
  { body, at, place }: DocumentPosition,
  unit: OffsetUnit,
  limits: Limits,
): SourceDocument {
  const [literal, metadata] = findMembers(body, at, ['text', 'metadata']);
  const about = {
    id: readId(id, body, at, place),
    title,
    filename,
    metadata: metadata === undefined ? undefined : body.subarray(metadata.from, metadata.to),
    pages: pages === undefined ? undefined : readPages(pages, text, unit, `${place}pages`),
  };
  checkMetadata(about.metadata, `${place}metadata`, limits);
  return { text, json: literalOf(body, literal as JsonPlace), about };
}

/**
 * What plugins learn about a document. Its metadata is parsed, and its pages converted, only when read.
 *
 * @param unit of the pages; without one the plugin does not get them
 */
export function infoOf({ about, json }: SourceDocument, unit?: OffsetUnit): DocumentInfo {
  if (about === undefined) return NO_INFO;
  const { id, title, filename, mediaType, metadata, pages } = about;
  let parsed: DocumentInfo['metadata'];
  return {
    id,
    title,
    filename,
    mediaType,
    get metadata() {
      if (metadata !== undefined) parsed ??= JSON.parse(Buffer.from(metadata).toString()) as typeof parsed;
      return parsed;
    },
    get pages() {
      if (pages === undefined || unit === undefined) return undefined;
      const places = pages.map((offset) => ({ start: offset, end: offset }));
      return Array.from(locate(json, places, unit).start);
    },
  };
}

const NO_INFO: DocumentInfo = Object.freeze({});

function checkIds(ids: readonly (string | undefined)[]): void {
  const first = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    const other = first.get(id);
    if (other !== undefined) {
      throw invalid(
        `documents[${index}].id: documents[${other}] has the same id; give each document its own`,
      );
    }
    first.set(id, index);
  }
}

function readPages(pages: readonly number[], text: string, unit: OffsetUnit, place: string): number[] {
  const [first = 0] = pages;
  if (first !== 0) throw invalid(`${place}[0]: expected 0, where the first page begins, got ${first}`);
  const fall = pages.findIndex((page, index) => page < (pages[index - 1] ?? 0));
  if (fall !== -1) {
    const [before, page] = [pages[fall - 1], pages[fall]];
    throw invalid(`${place}[${fall}]: expected at least ${before}, the one before it, got ${page}`);
  }
  const offsets = utf16Offsets(text, unit, pages);
  return pages.map((page, index) => {
    const offset = offsets.get(page);
    if (offset !== undefined) return offset;
    const expected = `the offset of a character in the text, in units of ${unit}`;
    throw invalid(
      `${place}[${index}]: expected ${expected}, got ${page}, which is beyond the text or inside a character`,
    );
  });
}
