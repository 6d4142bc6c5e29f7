import { utf7Text } from './utf7.ts';

/** Turns bytes that are neither ASCII nor UTF-8 into text. */
export type DecodeBytes = (bytes: Uint8Array) => string;

/** A field of a header. */
export interface HeaderField {
  /** In lower case: `content-type`. */
  readonly name: string;
  /** Without line breaks, one character for each byte. */
  readonly value: string;
}

/** A value with its parameters: `text/plain; charset=utf-8`. */
export interface StructuredValue {
  /** In lower case, without comments. */
  readonly value: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const FOLD = /\r?\n(?=[ \t])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes above 7 bits are what it looks for.
const NOT_ASCII = /[^\u0000-\u007f]/;
const NULS = /\0/g;

/** Unfolds a field. `line` has one character for each byte. Undefined if it is not a field. */
export function fieldOf(line: string): HeaderField | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd();
  if (!FIELD_NAME.test(name)) return undefined;
  const value = line
    .slice(colon + 1)
    .replace(FOLD, '')
    .replace(NULS, '');
  return { name: name.toLowerCase(), value: value.trim() };
}

const FIELD_NAME = /^[!-9;-~]{1,200}$/;

const WORD = /=\?([^\s?=]{1,60})\?([bq])\?([^?]{0,4000})\?=/gi;

/**
 * Decodes the text of a field: its encoded words (RFC 2047), and bytes above 7 bits. An encoded word that is
 * invalid in its charset stays as it is.
 */
export function headerText(value: string, decode: DecodeBytes): string {
  const parts: string[] = [];
  let done = 0;
  let words: EncodedWord[] = [];
  const end = (): void => {
    if (words.length > 0) parts.push(textOf(words));
    words = [];
  };
  for (const match of value.matchAll(WORD)) {
    const [written, label = '', encoding = '', text = ''] = match;
    const between = value.slice(done, match.index);
    const word = {
      written,
      charset: label.replace(/\*.*/, '').toLowerCase(),
      bytes: wordBytes(encoding, text),
    };
    const isNext = words.length > 0 && between.trim() === '';
    if (!isNext || words.at(-1)?.charset !== word.charset) end();
    if (!isNext) parts.push(unencoded(between, decode));
    words.push(word);
    done = match.index + written.length;
  }
  end();
  parts.push(unencoded(value.slice(done), decode));
  return parts.join('').toWellFormed().replace(CONTROLS, ' ').trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

interface EncodedWord {
  readonly written: string;
  readonly charset: string;
  readonly bytes: Uint8Array;
}

function wordBytes(encoding: string, text: string): Uint8Array {
  if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64');
  const plain = text.replaceAll('_', ' ').replace(/=([\da-f]{2})/gi, (_, hex) => byteOf(hex));
  return Buffer.from(plain, 'latin1');
}

const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/** Decodes words together, because a character may begin in one word and end in the next. */
function textOf(words: readonly EncodedWord[]): string {
  const bytes = Buffer.concat(words.map((word) => word.bytes));
  return (
    decodedAs(bytes, words[0]?.charset ?? '') ??
    decodedAs(bytes, 'utf-8') ??
    words.map(({ written }) => written).join(' ')
  );
}

function unencoded(value: string, decode: DecodeBytes): string {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return decodedAs(bytes, 'utf-8') ?? decode(bytes);
}

/** The text of bytes; undefined if the charset is unknown or the bytes are invalid in it. */
export function decodedAs(bytes: Uint8Array, charset: string): string | undefined {
  if (/^(?:x-)?(?:unicode-1-1-)?utf-?7$/i.test(charset)) return utf7Text(bytes);
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return decoder.decode(decoder.encoding === 'iso-2022-jp' ? withoutEmptyShifts(bytes) : bytes);
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what it looks for.
const EMPTY_SHIFT = /\u001b[$(][@-Z](?=\u001b[$(][@-Z])/g;

/** Removes escapes of ISO-2022-JP that another one follows. They occur where texts were joined, and are errors. */
function withoutEmptyShifts(bytes: Uint8Array): Uint8Array {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return Buffer.from(source.replace(EMPTY_SHIFT, ''), 'latin1');
}

const PARAMETER = /;\s*([^\s=;"]{1,100})\s*=\s*("[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^;"]*)/g;
const CONTINUED = /^([^*]+)(?:\*(\d{1,4}))?(\*)?$/;

/** Reads a value with its parameters, including continued and encoded ones (RFC 2231). */
export function structured(value: string, decode: DecodeBytes): StructuredValue {
  const parameters = new Map<string, string>();
  const continued = new Map<string, { at: number; isEncoded: boolean; text: string }[]>();
  for (const [, label = '', given = ''] of value.matchAll(PARAMETER)) {
    const [, name = label, at, star] = CONTINUED.exec(label.toLowerCase()) ?? [];
    const text = unquoted(given);
    if (at === undefined && star === undefined) {
      if (!parameters.has(name)) parameters.set(name, headerText(text, decode));
      continue;
    }
    const pieces = continued.get(name) ?? [];
    pieces.push({ at: Number(at ?? 0), isEncoded: star !== undefined, text });
    continued.set(name, pieces);
  }
  for (const [name, pieces] of continued) parameters.set(name, joined(pieces, decode));
  const [head = ''] = value.split(';', 1);
  return { value: head.replace(/\(.*/, '').trim().toLowerCase(), parameters };
}

function unquoted(given: string): string {
  if (given.startsWith('"') && given.length > 1 && given.endsWith('"'))
    return given.slice(1, -1).replace(/\\([\s\S])/g, '$1');
  return given.trim().replace(/^"|\s+\([^()]*\)$/g, '');
}

function joined(pieces: { at: number; isEncoded: boolean; text: string }[], decode: DecodeBytes): string {
  pieces.sort((one, other) => one.at - other.at);
  const [, charset, first] = /^([^']{0,60})'[^']{0,60}'([\s\S]*)$/.exec(pieces[0]?.text ?? '') ?? [];
  const isMarked = pieces[0]?.isEncoded === true && charset !== undefined;
  const bytes = pieces.map(({ isEncoded, text }, at) => {
    const own = at === 0 && isMarked ? (first ?? '') : text;
    return isEncoded ? own.replace(/%([\da-f]{2})/gi, (_, hex) => byteOf(hex)) : own;
  });
  const all = Buffer.from(bytes.join(''), 'latin1');
  return decodedAs(all, (isMarked && charset) || 'utf-8') ?? decodedAs(all, 'utf-8') ?? decode(all);
}

const DATE =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{2,4})\s+(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?\s*([+-]\d{4}|[a-z]{1,4})?/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const ZONES: Readonly<Record<string, number>> = {
  ...{ ut: 0, utc: 0, gmt: 0, z: 0 },
  ...{ est: -300, edt: -240, cst: -360, cdt: -300, mst: -420, mdt: -360, pst: -480, pdt: -420 },
};
const CENTURY = 100;
const MINUTE = 60_000;

/** The date of a field in ISO 8601: in UTC, or without a zone if the zone is unknown. Other text is unchanged. */
export function dateOf(value: string): string {
  const [, day, name = '', written = '', hours, minutes, seconds = '0', zone = ''] = DATE.exec(value) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase());
  if (day === undefined || month === -1) return value;
  const short = Number(written) < CENTURY ? (Number(written) < 70 ? 2000 : 1900) : 0;
  const year = written.length === 3 ? Number(written) + 1900 : Number(written) + short;
  const local = Date.UTC(year, month, Number(day), Number(hours), Number(minutes), Number(seconds));
  const offset = /^[+-]/.test(zone) ? minutesOf(zone) : ZONES[zone.toLowerCase()];
  const date = new Date(local - (offset ?? 0) * MINUTE);
  if (Number.isNaN(date.getTime())) return value;
  const text = date.toISOString().replace('.000Z', '');
  return offset === undefined ? text : `${text}Z`;
}

function minutesOf(zone: string): number {
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3)));
}
