import { type Factory, type Report, refusedError, type SourceFile } from '../../../core/kit.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import { detectedLabels } from './detected.ts';
import type manifest from './manifest.ts';

const REMEDY =
  'name the encoding in the media type, as in "text/plain; charset=windows-1252", or save the file as UTF-8';

/**
 * Decodes a file by its byte order mark; otherwise by the charset of the request; otherwise in the first
 * encoding in which it is valid.
 *
 * @param report is called if the encoding was guessed from the bytes
 * @throws Error for callers if the file is not text
 */
async function readText(file: SourceFile, report: Report): Promise<Decoded> {
  const { bytes, charset } = file;
  if (hasUtf32Mark(bytes)) throw refusal('it is in UTF-32; save it as UTF-8');
  const mark = encodingOfMark(bytes);
  const label = mark ?? charset;
  if (label === undefined) {
    const wide = wideText(bytes);
    if (wide !== undefined) {
      report(...INFERRED);
      return wide;
    }
  }
  const encoding = label === undefined ? undefined : labelOf(label);
  const isWide = encoding?.startsWith('utf-16') === true;
  if (!isWide) refuseBinary(bytes);
  if (label === undefined) return readByTrial(file, report);
  if (encoding === undefined)
    throw refusal(`the encoding ${JSON.stringify(label.slice(0, 40))} is unknown; ${REMEDY}`);
  const decoded = decode(bytes, label);
  if (decoded !== undefined) return decoded;
  const source = mark === undefined ? 'the charset of the request' : 'its byte order mark';
  throw refusal(`it is not valid ${encoding}, although ${source} says so; ${REMEDY}`);
}

const INFERRED = ['source-encoding-inferred', 'true'] as const;

const refusal = (reason: string): Error => refusedError(`The file cannot be read as text: ${reason}.`);

async function readByTrial(file: SourceFile, report: Report): Promise<Decoded> {
  const { bytes } = file;
  const tried = [...declaredLabels(file), 'utf-8'];
  for (const label of tried) {
    const decoded = decode(bytes, label);
    if (decoded !== undefined) return decoded;
  }
  for (const label of await detectedLabels(bytes)) {
    const decoded = decode(bytes, label);
    if (decoded !== undefined && isPlainText(decoded.text)) {
      report(...INFERRED);
      return decoded;
    }
    tried.push(label);
  }
  const list = [...new Set(tried)].join(', ');
  throw refusal(`its bytes are not valid in any encoding that was tried (${list}); if it is text, ${REMEDY}`);
}

interface Signature {
  readonly name: string;
  readonly start: string;
  /** Whether a text may also begin like this. If so, the signature counts only in files with NUL bytes. */
  readonly isWeak?: boolean;
}

const SIGNATURES: readonly Signature[] = [
  { name: 'a PDF', start: '%PDF-' },
  { name: 'an RTF document', start: '{\\rtf' },
  { name: 'a ZIP archive, as Office documents and e-books are', start: 'PK\u0003\u0004' },
  { name: 'an older Office document', start: '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1' },
  { name: 'a PNG image', start: '\u0089PNG\r\n\u001a\n' },
  { name: 'a JPEG image', start: '\u00ff\u00d8\u00ff' },
  { name: 'a GIF image', start: 'GIF8', isWeak: true },
  { name: 'a TIFF image', start: 'II*\0' },
  { name: 'a TIFF image', start: 'MM\0*' },
  { name: 'a WebP image or a WAV or AVI file', start: 'RIFF', isWeak: true },
  { name: 'an MP3 file', start: 'ID3', isWeak: true },
  { name: 'a gzip archive', start: '\u001f\u008b' },
  { name: 'a bzip2 archive', start: 'BZh', isWeak: true },
  { name: 'a 7z archive', start: '7z\u00bc\u00af\u0027\u001c' },
  { name: 'a zstd archive', start: '(\u00b5/\u00fd' },
  { name: 'an SQLite database', start: 'SQLite format 3\0' },
  { name: 'a program', start: '\u007fELF' },
  { name: 'a program', start: 'MZ', isWeak: true },
  { name: 'a WebAssembly module', start: '\0asm' },
];

const MAX_START = 16;

/** @throws Error for callers if the file is not text; the message names its format */
function refuseBinary(bytes: Uint8Array): void {
  const isBinary = hasNul(bytes);
  const start = String.fromCharCode(...bytes.subarray(0, MAX_START));
  const signature = SIGNATURES.find(
    (one) => start.startsWith(one.start) && (isBinary || one.isWeak !== true),
  );
  if (signature === undefined && !isBinary) return;
  const what = signature?.name ?? 'a binary file: it has NUL bytes';
  throw refusal(
    `it looks like ${what}; choose a reader for this format (GET /v1/plugins lists the readers), or send its text`,
  );
}

/** Bytes that are searched for UTF-16 without a byte order mark. */
const SAMPLE = 8192;
/** Maximum NUL bytes on the rarer side of byte pairs (as in U+0100), relative to those on the other side. */
const MAX_ELSEWHERE = 0.1;
/** Minimum share of pairs with a NUL byte on the more frequent side, as ASCII letters and spaces have. */
const MIN_SHARE = 0.1;
/** With fewer NUL bytes on the more frequent side, their share of pairs must be at least `SURE_SHARE`. */
const MIN_NULS = 16;
const SURE_SHARE = 0.4;

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

const hasUtf32Mark = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 0xff, 0xfe, 0, 0) || startsWith(bytes, 0, 0, 0xfe, 0xff);

const hasNul = (bytes: Uint8Array): boolean => bytes.includes(0);

/** Decodes UTF-16 without a byte order mark, recognised by NUL bytes mostly on one side of byte pairs. */
function wideText(bytes: Uint8Array): Decoded | undefined {
  if (bytes.length % 2 !== 0 || !hasNul(bytes)) return undefined;
  const length = Math.min(bytes.length, SAMPLE);
  const nuls: [even: number, odd: number] = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) nuls[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = nuls;
  const less = Math.min(even, odd);
  const most = Math.max(even, odd);
  const share = most >= MIN_NULS ? MIN_SHARE : SURE_SHARE;
  if (less > most * MAX_ELSEWHERE || most < (length / 2) * share) return undefined;
  const decoded = decode(bytes, odd > even ? 'utf-16le' : 'utf-16be');
  return decoded !== undefined && isPlainText(decoded.text) ? decoded : undefined;
}

/** Bytes at the start of a file that may declare its encoding, as in browsers. */
const SCANNED = 1024;

const XML = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']/;
const CSS = /^@charset "([^"]+)";/;
/** An encoding comment in the first two lines, as in Python and Emacs. */
const COOKIE = /^(?:.*\r?\n)?[ \t\f]*(?:#|;|%|\/\/|--|\/\*|\.\.).*?coding[:=][ \t]*([\w.-]+)/;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const META = /<meta[\s/]([^>]*)/gi;
const CHARSET = /(?:^|[\s/"'])charset\s*=\s*["']?\s*([^\s"'/>;]+)/i;
const CONTENT_TYPE = /http-equiv\s*=\s*["']?content-type\b/i;
const IN_CONTENT = /content\s*=\s*(?:"[^"]*?|'[^']*?|[^\s"']*?)charset\s*=\s*([^\s"';>]+)/i;
const HTML_NAME = /\.(x?html?|xht|shtml)$/i;

function declaredLabels({ bytes, name = '', mediaType = '' }: SourceFile): string[] {
  const head = String.fromCharCode(...bytes.subarray(0, SCANNED));
  const isHtml = HTML_NAME.test(name) || mediaType.includes('html') || /^\s*</.test(head);
  const declared = [XML, CSS, COOKIE].map((pattern) => pattern.exec(head)?.[1]);
  const labels = [...declared, isHtml ? charsetOfMeta(head) : undefined];
  const known = labels.flatMap((label = '') => asWritten(label) ?? []);
  return switchesToKanji(bytes) ? [...known, 'iso-2022-jp'] : known;
}

/** Detects ISO-2022-JP, which is ASCII with escapes and therefore also valid UTF-8. */
function switchesToKanji({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return bytes.includes('\u001b$B') || bytes.includes('\u001b$@');
}

function charsetOfMeta(head: string): string | undefined {
  const tags = head.replace(COMMENT, '').matchAll(META);
  for (const [, attributes = ''] of tags) {
    const pattern = CONTENT_TYPE.test(attributes) ? IN_CONTENT : CHARSET;
    const label = pattern.exec(attributes)?.[1];
    if (label !== undefined) return label;
  }
  return undefined;
}

/** The encoding that a declaration means. A declaration readable as ASCII does not mean UTF-16. */
function asWritten(label: string): string | undefined {
  const encoding = labelOf(label);
  if (encoding?.startsWith('utf-16') === true) return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/** Labels of ASCII, which the WHATWG standard treats as windows-1252. */
const ASCII = /^(us-)?ascii$/i;
/** Control characters that rarely occur in text: all except white space, ESC, and NEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u0084\u0086-\u009f]/g;
/** Encodings in which ICU decodes invalid lead bytes to control characters. The standard rejects the text. */
const EAST_ASIAN = /^(?:big5|euc-|gb|shift_jis)/;
const C1 = /[\u0080-\u009f]/;
/** A text with fewer characters per control character comes from a wrong guess. */
const CHARACTERS_PER_CONTROL = 200;

function labelOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Decodes bytes losslessly; undefined if the encoding is unknown, or the bytes are invalid in it. */
function decode(bytes: Uint8Array, label: string): Decoded | undefined {
  if (ASCII.test(label) && bytes.some((byte) => byte > 0x7f)) return undefined;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    const text = decoder.decode(bytes);
    if (EAST_ASIAN.test(decoder.encoding) && C1.test(text)) return undefined;
    return { text, encoding: decoder.encoding };
  } catch (error) {
    // The label is unknown or the bytes are invalid. A text that is too long throws another error.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether a text has few control characters. Wrong guesses produce many. */
function isPlainText(text: string): boolean {
  let allowed = Math.floor(text.length / CHARACTERS_PER_CONTROL);
  for (const _ of text.matchAll(CONTROL)) if (--allowed < 0) return false;
  return true;
}

const createTextReader: Factory<typeof manifest> = () => ({
  async read(file, { signal, report }) {
    signal.throwIfAborted();
    return readText(file, report);
  },
});

export default createTextReader;
