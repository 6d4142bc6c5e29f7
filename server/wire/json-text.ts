import { findElements, findMembers, type JsonPlace } from './json-places.ts';

/**
 * JSON string literals as bytes. An answer's texts are stretches of the request's text, so they are
 * copied from the request's own bytes instead of being decoded, cut, escaped and encoded again.
 */

const QUOTE = 0x22;
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
 * a valid JSON object. Returns `undefined` if the member is missing or has another type.
 */
export function findTextLiterals(body: Buffer, member: string): JsonText[] | undefined {
  const [place] = findMembers(body, 0, [member]);
  if (place === undefined) return undefined;
  const places = body[place.from] === OPEN_LIST ? findElements(body, place.from) : [place];
  return places.every(({ from }) => body[from] === QUOTE)
    ? places.map((one) => literalOf(body, one))
    : undefined;
}

/** The content of the string literal at a place. */
export function literalOf(body: Buffer, { from, to }: JsonPlace): JsonText {
  return body.subarray(from + 1, to - 1);
}

const SPACE = 0x20;
const BREAKS = [0x0a, 0x0d];

/** The same JSON in one line: line breaks in JSON are white space, as strings have them escaped. */
export function withoutBreaks(json: Buffer): Buffer {
  return BREAKS.some((byte) => json.includes(byte))
    ? Buffer.from(json.map((byte) => (BREAKS.includes(byte) ? SPACE : byte)))
    : json;
}
