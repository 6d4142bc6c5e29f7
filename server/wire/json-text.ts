/**
 * JSON string literals as bytes. An answer's texts are stretches of the request's text, so they are
 * copied from the request's own bytes instead of being decoded, cut, escaped and encoded again.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;

/** The content of a JSON string literal in UTF-8, without its quotes. */
export type JsonText = Uint8Array;

/** Writes a text as the content of a JSON string literal. A lone surrogate becomes its `\u` escape. */
export function toJsonText(text: string): JsonText {
  return Buffer.from(JSON.stringify(text)).subarray(1, -1);
}

/**
 * The same JSON text for equal texts, however their senders escaped them: `json` itself, if it has no escape that
 * can be written in another way.
 */
export function canonicalJsonText(text: string, json: JsonText): JsonText {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  return bytes.includes('\\u') || bytes.includes('\\/') ? toJsonText(text) : json;
}

/**
 * Finds the literals of one top-level member whose value is a string or a list of strings. `body` must be
 * a valid JSON object. Returns `undefined` if the member is missing or has another type, or if the name
 * of a member is escaped. If a member is repeated, the last one counts, as in `JSON.parse`.
 */
export function findTextLiterals(body: Buffer, member: string): JsonText[] | undefined {
  const name = Buffer.from(member);
  let found: JsonText[] | undefined;
  let at = skipSpace(body, skipSpace(body, 0) + 1);
  while (body[at] === QUOTE) {
    const keyEnd = stringEnd(body, at);
    if (body.subarray(at + 1, keyEnd - 1).includes(BACKSLASH)) return undefined;
    const valueStart = skipSpace(body, skipSpace(body, keyEnd) + 1);
    const valueEnd = skipValue(body, valueStart);
    if (name.equals(body.subarray(at + 1, keyEnd - 1))) found = literalsOf(body, valueStart);
    at = skipSpace(body, skipSpace(body, valueEnd) + 1);
  }
  return found;
}

function literalsOf(body: Buffer, at: number): JsonText[] | undefined {
  if (body[at] === QUOTE) return [body.subarray(at + 1, stringEnd(body, at) - 1)];
  if (body[at] !== OPEN_LIST) return undefined;
  const literals: JsonText[] = [];
  let item = skipSpace(body, at + 1);
  while (body[item] === QUOTE) {
    const end = stringEnd(body, item);
    literals.push(body.subarray(item + 1, end - 1));
    item = skipSpace(body, skipSpace(body, end) + 1);
  }
  return literals;
}

/** Index after the closing quote of the string that opens at `at`. */
function stringEnd(body: Buffer, at: number): number {
  let quote = body.indexOf(QUOTE, at + 1);
  while (isEscaped(body, quote)) quote = body.indexOf(QUOTE, quote + 1);
  return quote + 1;
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
  while (!isDelimiter(body[at])) at++;
  return at;
}

function skipNested(body: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = body[at];
    if (byte === QUOTE) {
      at = stringEnd(body, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    at++;
  } while (depth > 0);
  return at;
}

/** Whether a byte ends a number or a keyword. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20;
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length && (body[at] as number) <= 0x20) at++;
  return at;
}
