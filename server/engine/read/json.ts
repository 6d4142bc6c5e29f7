import { isUtf8 } from 'node:buffer';
import { reasonOf, ServiceError } from '../../../core/errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;

/** Finds values in the bytes of JSON. In invalid JSON, the positions are wrong but within the body. */

/** The position of a value in a JSON text: the bytes `[from, to)`. */
export interface JsonRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds members of an object by their names. If a name is repeated, the last member counts, as in `JSON.parse`.
 *
 * @param body JSON
 * @param start start of the object, or of white space before it
 * @returns the positions of the members' values, in the order of the names; `undefined` for missing members
 */
export function findMembers(
  body: Buffer,
  start: number,
  names: readonly string[],
): readonly (JsonRange | undefined)[] {
  const found = new Array<JsonRange | undefined>(names.length).fill(undefined);
  let at = skipSpace(body, skipSpace(body, start) + 1);
  while (body[at] === QUOTE) {
    const keyEnd = stringEnd(body, at);
    const from = skipSpace(body, skipSpace(body, keyEnd) + 1);
    const to = skipValue(body, from);
    const index = names.indexOf(nameAt(body, at, keyEnd));
    if (index !== -1) found[index] = { from, to };
    at = skipSpace(body, skipSpace(body, to) + 1);
  }
  return found;
}

/** Finds the elements of a list. @param start start of the list; may be white space before it */
export function findElements(body: Buffer, start: number): JsonRange[] {
  const elements: JsonRange[] = [];
  let from = skipSpace(body, skipSpace(body, start) + 1);
  while (from < body.length && body[from] !== CLOSE_LIST) {
    const to = skipValue(body, from);
    elements.push({ from, to });
    const next = skipSpace(body, to);
    from = body[next] === CLOSE_LIST ? next : skipSpace(body, next + 1);
  }
  return elements;
}

function nameAt(body: Buffer, from: number, to: number): string {
  const name = body.toString('latin1', from + 1, to - 1);
  return name.includes('\\') ? (JSON.parse(body.toString('utf8', from, to)) as string) : name;
}

/** Maximum bytes of a string to search in a loop. A native search is slower for such short strings. */
const SHORT = 24;

function stringEnd(body: Buffer, at: number): number {
  const short = Math.min(at + SHORT, body.length);
  for (let next = at + 1; next < short && body[next] !== BACKSLASH; next++)
    if (body[next] === QUOTE) return next + 1;
  let quote = body.indexOf(QUOTE, at + 1);
  while (isEscaped(body, quote)) quote = body.indexOf(QUOTE, quote + 1);
  return quote === -1 ? body.length : quote + 1;
}

function isEscaped(body: Buffer, at: number): boolean {
  let before = at;
  while (body[before - 1] === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function skipValue(body: Buffer, start: number): number {
  if (body[start] === QUOTE) return stringEnd(body, start);
  if (body[start] === OPEN_OBJECT || body[start] === OPEN_LIST) return skipNested(body, start);
  let at = start;
  let byte = body[at];
  while (byte !== undefined && byte > 0x20 && byte !== COMMA && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT)
    byte = body[++at];
  return at;
}

function skipNested(body: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(body, at);
      continue;
    }
    // Most bytes are digits and commas, which are all below the brackets.
    if (byte >= OPEN_LIST) {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    }
    at++;
  } while (depth > 0 && at < body.length);
  return at;
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length && (body[at] as number) <= 0x20) at++;
  return at;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** JSON bytes without the byte order mark that some clients send. */
export function jsonBytes(bytes: Uint8Array): Buffer {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

/**
 * Parses the body of a request: JSON in UTF-8.
 *
 * @throws ServiceError `body_empty`, `body_not_utf8`, `body_not_json`
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new ServiceError('body_empty');
  if (!isUtf8(body)) throw new ServiceError('body_not_utf8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new ServiceError('body_not_json', { reason: reasonOf(error) });
  }
}

/** JSON string literals as bytes. Answers copy texts from the request instead of encoding them again. */

/** The content of a JSON string literal in UTF-8, without its quotes. */
export type JsonText = Uint8Array;

/** Writes a text as the content of a JSON string literal. A lone surrogate becomes its `\u` escape. */
export function toJsonText(text: string): JsonText {
  return Buffer.from(JSON.stringify(text)).subarray(1, -1);
}

/** Writes `text` as JSON, equal for equal texts. Returns the received `json` itself if it needs no change. */
export function canonicalJsonText(text: string, json: JsonText): JsonText {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  return bytes.includes('\\u') || bytes.includes('\\/') ? toJsonText(text) : json;
}

/**
 * Finds the literals of a top-level member that is a string or a list of strings. `body` must be a valid JSON
 * object. Returns `undefined` if the member is missing or has another type.
 */
export function findTextLiterals(body: Buffer, member: string): JsonText[] | undefined {
  const [value] = findMembers(body, 0, [member]);
  if (value === undefined) return undefined;
  const texts = body[value.from] === OPEN_LIST ? findElements(body, value.from) : [value];
  return texts.every(({ from }) => body[from] === QUOTE)
    ? texts.map((text) => literalOf(body, text))
    : undefined;
}

export function literalOf(body: Buffer, { from, to }: JsonRange): JsonText {
  return body.subarray(from + 1, to - 1);
}

const SPACE = 0x20;
const BREAKS = [0x0a, 0x0d];

/** JSON on one line. Every line break in JSON is white space, because strings escape line breaks. */
export function withoutBreaks(json: Buffer): Buffer {
  return BREAKS.some((byte) => json.includes(byte))
    ? Buffer.from(json.map((byte) => (BREAKS.includes(byte) ? SPACE : byte)))
    : json;
}

/** JSON that is the same for equal values, regardless of the order of members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}
