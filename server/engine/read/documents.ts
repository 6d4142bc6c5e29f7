import type { FromSchema } from 'json-schema-to-ts';
import type { Chunk, DocumentInfo, OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { LeftOutText, SourcePlace } from '../../../core/contracts/reader.ts';
import { invalid } from '../../../core/errors.ts';
import { locate } from '../answer/offsets.ts';
import { checkDocuments, checkMetadata, type Limits, listTexts } from '../limits.ts';
import type { documentSchema } from './document-schemas.ts';
import {
  findElements,
  findMembers,
  findTextLiterals,
  type JsonRange,
  type JsonText,
  literalOf,
  toJsonText,
} from './json.ts';
import { readLeftOut, readPlaces } from './places.ts';

/** The input of the stages: a document, or a list of chunks of a request. */
export type Input = SourceDocument | GivenChunks;

/** A text in two forms: as a string, and as the content of a JSON literal. */
export interface SourceDocument {
  readonly text: string;
  readonly json: JsonText;
  /** Undefined if the request gives only a text. */
  readonly about?: AboutDocument;
}

/** Information in a request about a document, besides its text. Plain data. */
export interface AboutDocument {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly filename?: string | undefined;
  /** Format of the text, if the file name does not define it. */
  readonly mediaType?: string | undefined;
  /** Original JSON of an object. */
  readonly metadata?: Uint8Array | undefined;
  /** Source positions of stretches of the text, in UTF-16 code units. Neither starts nor ends decrease. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** Texts that a reader left out, with the same order and offsets. */
  readonly leftOut?: readonly LeftOutText[] | undefined;
}

export interface GivenChunks {
  readonly chunks: readonly Chunk[];
  /** Original JSON of each chunk's `metadata`; undefined if no chunk has metadata. */
  readonly metadata?: readonly (Uint8Array | undefined)[] | undefined;
}

export const NO_DOCUMENT: SourceDocument = { text: '', json: new Uint8Array(0) };

/** Number of bytes of an input's text in JSON; 0 for an input of chunks. */
export function textBytes(input: Input): number {
  return 'json' in input ? input.json.length : 0;
}

export function documentOf(text: string, about: AboutDocument): SourceDocument {
  return { text, json: toJsonText(text), about };
}

export function documentOfLine(text: string, line: Buffer): SourceDocument {
  return { text, json: literalOf(line, { from: 0, to: line.length }) };
}

/** Reads the member `text`. @throws ServiceError `invalid_parameters` if texts are too many or too long */
export function readTexts(text: string | readonly string[], body: Buffer, limits: Limits): SourceDocument[] {
  const texts = listTexts(text, limits);
  const literals = findTextLiterals(body, 'text') as JsonText[];
  return texts.map((text, index) => ({ text, json: literals[index] as JsonText }));
}

export type ParsedDocument = Omit<FromSchema<typeof documentSchema>, 'places' | 'left_out'> &
  Pick<AboutDocument, 'places'> & { readonly left_out?: AboutDocument['leftOut'] };

/**
 * Converts the documents of a request.
 *
 * @param body the request's JSON, with the documents in its member `documents`
 * @param unit of the places' offsets
 * @throws ServiceError `invalid_parameters` for too many or too long documents, duplicate ids, or invalid places
 */
export function readDocuments(
  documents: readonly ParsedDocument[],
  body: Buffer,
  unit: OffsetUnit,
  limits: Limits,
): SourceDocument[] {
  const [list] = findMembers(body, 0, ['documents']) as readonly [JsonRange];
  checkList(documents, { body, at: list.from }, limits);
  const ranges = findElements(body, list.from);
  return documents.map((document, index) => {
    const given = { body, at: (ranges[index] as JsonRange).from, place: `documents[${index}].` };
    return readDocument(document, given, unit);
  });
}

/**
 * Checks a list of documents that are read later, one by one.
 *
 * @param list start of the list in the request
 * @throws ServiceError `invalid_parameters` for too many or too long documents, or duplicate ids
 */
export function checkList(
  documents: readonly ParsedDocument[],
  { body, at }: Pick<DocumentPosition, 'body' | 'at'>,
  limits: Limits,
): void {
  checkDocuments(documents, limits);
  const isNumbered = documents.some(({ id }) => typeof id === 'number');
  const ranges = isNumbered ? findElements(body, at) : [];
  checkIds(
    documents.map(({ id }, index) => readId(id, body, ranges[index]?.from ?? 0, `documents[${index}].`)),
  );
}

interface DocumentPosition {
  readonly body: Buffer;
  readonly at: number;
  /** Prefix of a member's name: `documents[3].`. */
  readonly place: string;
}

/**
 * Converts a parsed document.
 *
 * @throws ServiceError `invalid_parameters` for metadata that is too long, or invalid places
 */
export function readDocument(
  { text, id, title, filename, media_type: mediaType, pages, places, left_out }: ParsedDocument,
  { body, at, place }: DocumentPosition,
  unit: OffsetUnit,
): SourceDocument {
  const [literal, metadata] = findMembers(body, at, ['text', 'metadata']);
  const json = literalOf(body, literal as JsonRange);
  const about = {
    id: readId(id, body, at, place),
    title,
    filename,
    mediaType,
    metadata: metadata === undefined ? undefined : body.subarray(metadata.from, metadata.to),
    places: readPlaces({ pages, places }, text, unit, place),
    leftOut: readLeftOut(left_out, text, unit, place),
  };
  checkMetadata(about.metadata, `${place}metadata`);
  return { text, json, about };
}

/**
 * A document's information for plugins. Metadata and places are converted only when read.
 *
 * @param unit of the pages' offsets; if undefined, pages are omitted
 */
export function infoOf({ about, json }: SourceDocument, unit?: OffsetUnit): DocumentInfo {
  if (about === undefined) return NO_INFO;
  const { id, title, filename, mediaType, metadata, places } = about;
  const named = { id, title, filename, mediaType };
  if (metadata === undefined && places === undefined) return named;
  let parsed: DocumentInfo['metadata'];
  return {
    ...named,
    get metadata() {
      if (metadata !== undefined) parsed ??= JSON.parse(Buffer.from(metadata).toString()) as typeof parsed;
      return parsed;
    },
    get pages() {
      const starts = startsOfPages(places ?? []);
      if (starts.length === 0 || unit === undefined) return undefined;
      const offsets = starts.map((start) => ({ start, end: start }));
      return Array.from(locate(json, offsets, unit).start);
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

function startsOfPages(places: readonly SourcePlace[]): number[] {
  const starts: number[] = [];
  for (const { start, page = 0 } of places) {
    const begin = starts.length === 0 ? 0 : start;
    while (starts.length < page) starts.push(begin);
  }
  return starts;
}

/** Reads lists of chunks with the JSON of their metadata. @param findLists finds the lists in the body */
export function readChunks(
  lists: readonly (readonly Chunk[])[],
  body: Buffer,
  findLists: () => readonly (JsonRange | undefined)[],
): GivenChunks[] {
  if (!lists.some((chunks) => chunks.some(hasMetadata))) return lists.map((chunks) => ({ chunks }));
  const ranges = findLists();
  return lists.map((chunks, index) => ({
    chunks,
    metadata: metadataAt(body, (ranges[index] as JsonRange).from),
  }));
}

export function hasMetadata({ metadata }: Chunk): boolean {
  return typeof metadata === 'object' && metadata !== null;
}

function metadataAt(body: Buffer, list: number): (Uint8Array | undefined)[] {
  return findElements(body, list).map(({ from }) => {
    const [found] = findMembers(body, from, ['metadata']);
    return found === undefined ? undefined : body.subarray(found.from, found.to);
  });
}

/** A whole number in JSON, limited to the maximum length of an id. */
const WHOLE = /^-?\d{1,511}$/;

/** The id at a position in unparsed JSON; undefined if the value is not an id. */
export function idAt(body: Buffer, { from, to }: JsonRange): string | undefined {
  const json = body.toString('utf8', from, to);
  if (isWholeNumber(json)) return json;
  try {
    const id: unknown = JSON.parse(json);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a JSON number is an id. 7 and "7" are the same id, but 7.0 and 7e0 are invalid. */
export function isWholeNumber(json: string): boolean {
  return WHOLE.test(json);
}

/**
 * The id of an object in a request. A whole number keeps its original digits, because a double may lose some.
 *
 * @param id as parsed
 * @param at start of the object in the body
 * @returns undefined if the id is missing, or neither a text nor a whole number
 */
export function findId(id: unknown, body: Buffer, at: number): string | undefined {
  if (typeof id !== 'number') return typeof id === 'string' ? id : undefined;
  const json = idJson(body, at);
  return isWholeNumber(json) ? json : undefined;
}

/**
 * The id of an object that matches its schema. Refuses 1e3, which a schema cannot distinguish from 1000.
 *
 * @param place prefix of the member's name in the error
 * @throws ServiceError `invalid_parameters`
 */
export function readId(id: string | number | undefined, body: Buffer, at: number, place: string) {
  const found = findId(id, body, at);
  if (found !== undefined || id === undefined) return found;
  const given = idJson(body, at).slice(0, 60);
  throw invalid(`${place}id: expected a string, or an integer with all its digits, got ${given}`);
}

function idJson(body: Buffer, at: number): string {
  const [range] = findMembers(body, at, ['id']) as readonly [JsonRange];
  return body.toString('latin1', range.from, range.to);
}
