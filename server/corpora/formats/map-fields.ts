import { invalid, ServiceError } from '../../../core/errors.ts';
import { ExactJson } from '../../../plugins/toolkit/parquet/index.ts';
import { isWholeNumber } from '../../engine/read/documents.ts';
import type { FieldMapping } from '../shard.ts';

/** A line of JSON or a table row. Its members become a document. */
export interface Row {
  readonly names: readonly string[];
  value(name: string): unknown;
  /** The member as JSON. @throws ServiceError `invalid_parameters` if the value cannot be JSON */
  json(name: string): Uint8Array;
}

const ALL = '*';
/** Maximum columns of a table, because every row is searched for each column. */
const MAX_COLUMNS = 10_000;
const MAX_LISTED = 20;

/** Maps `id`, `title`, `filename` and `text` to the members of the same name, and other names to metadata. */
export function defaultMapping(names: readonly string[]): FieldMapping {
  const own = (name: 'id' | 'title' | 'filename') => (names.includes(name) ? { [name]: name } : {});
  return { ...own('id'), ...own('title'), ...own('filename'), metadata: [ALL] };
}

export function columnsProblem(names: readonly string[]): string | undefined {
  if (names.length > MAX_COLUMNS) return `${names.length} columns, over the limit of ${MAX_COLUMNS}`;
  const known = new Set<string>();
  const twice = names.find((name) => known.size === known.add(name).size);
  return twice === undefined ? undefined : `the column ${twice} twice`;
}

export function noTextColumn(
  names: readonly string[],
  { text = 'text' }: FieldMapping = {},
): ServiceError | undefined {
  if (names.includes(text)) return undefined;
  const remedy = 'name the one with the text in source.fields.text';
  return invalid(`text: there is no column ${text}; the columns are ${listed(names)}; ${remedy}`);
}

export function orError(line: () => Buffer): Buffer | ServiceError {
  try {
    return line();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

export function neededNames(mapping: FieldMapping, names: readonly string[]): readonly string[] {
  const { id, text = 'text', title, filename, metadata = [] } = mapping;
  if (metadata.includes(ALL)) return names;
  const needed = new Set([id, text, title, filename, ...metadata]);
  return names.filter((name) => needed.has(name));
}

/**
 * Makes the JSON line of a document from a row.
 *
 * @param isStrict whether a missing member for the id is an error; otherwise the document has no id
 * @throws ServiceError `invalid_parameters` with the name of the bad member
 */
export function mapRow(row: Row, mapping: FieldMapping, isStrict: boolean): Buffer {
  const { id, text = 'text', title, filename } = mapping;
  const value = row.value(text);
  if (typeof value !== 'string') throw noText(row, text, value);
  const idJson = id === undefined ? undefined : idOf(row, id);
  if (id !== undefined && idJson === undefined && isStrict) throw invalid(`id: there is no member ${id}`);
  return documentLine({
    text: row.json(text),
    id: idJson,
    title: title === undefined ? undefined : shortText(row, title),
    filename: filename === undefined ? undefined : shortText(row, filename),
    metadata: metadataOf(row, mapping),
  });
}

function idOf(row: Row, name: string): Uint8Array | undefined {
  const isNumber = typeof row.value(name) === 'number';
  const json = isNumber ? Buffer.from(row.json(name)).toString() : '';
  if (!isNumber || isWholeNumber(json)) return shortText(row, name);
  throw invalid(`${name}: expected a text, or an integer with all its digits, got ${json.slice(0, 60)}`);
}

/** The JSON of a text; undefined if missing or empty. A number becomes a text with the same digits. */
function shortText(row: Row, name: string): Uint8Array | undefined {
  const value = row.value(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return row.json(name);
  if (typeof value === 'number' || typeof value === 'bigint') {
    return quoted(Buffer.from(row.json(name)).toString());
  }
  if (value instanceof Date) return row.json(name);
  if (value instanceof ExactJson && /^["\d-]/.test(value.json)) return quoted(String(value));
  throw invalid(`${name}: expected a text or a number, got ${typeName(value)}`);
}

function metadataOf(row: Row, { id, text = 'text', title, filename, metadata = [] }: FieldMapping) {
  const used = new Set([id, text, title, filename]);
  const named = metadata.filter((name) => name !== ALL);
  const others = metadata.includes(ALL) ? row.names.filter((name) => !used.has(name)) : [];
  const members = [...new Set([...named, ...others])].filter((name) => row.value(name) !== undefined);
  return members.length === 0
    ? undefined
    : jsonObject(members.map((name) => [name, row.json(name)] as const));
}

function noText(row: Row, name: string, value: unknown) {
  const isThere = value !== undefined || row.names.includes(name);
  if (isThere) return invalid(`${name}: expected a text, got ${typeName(value ?? null)}`);
  return invalid(`text: there is no member ${name}; the members are ${listed(row.names)}`);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ') || 'none';
  return names.length > MAX_LISTED ? `${shown}, …` : shown;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Uint8Array) return 'bytes that are not text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const NAMES = ['id', 'title', 'filename', 'media_type', 'metadata', 'places', 'left_out', 'text'] as const;

export type LineParts = { readonly [N in (typeof NAMES)[number]]?: Uint8Array | undefined };

export function documentLine(parts: LineParts): Buffer {
  return jsonObject(
    NAMES.flatMap((name) => {
      const json = parts[name];
      return json === undefined ? [] : [[name, json] as const];
    }),
  );
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export function withoutMark(bytes: Buffer): Buffer {
  const hasMark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  return hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

export function quoted(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}

/**
 * Encodes UTF-8 text as JSON. Treats each byte as a character, because JSON needs no escapes above ASCII.
 * This is three times as fast as decoding the text and encoding its JSON.
 *
 * @param bytes valid UTF-8, see `isUtf8`
 */
export function quotedUtf8(bytes: Buffer): Buffer {
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1');
}

function jsonObject(members: readonly (readonly [name: string, json: Uint8Array])[]): Buffer {
  const pieces = members.flatMap(([name, json], index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
}
