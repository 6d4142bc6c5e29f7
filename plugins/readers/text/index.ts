import { type Factory, type Report, refusedError, type SourceFile } from '../../../core/kit.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import {
  type Decoded,
  decode,
  decodeByTrial,
  decodeMarkless,
  encodingOf,
  reportInferred,
} from '../../toolkit/encodings/index.ts';
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
    const wide = decodeMarkless(bytes);
    if (wide !== undefined) {
      reportInferred(report, { confidence: SURE });
      return wide;
    }
  }
  const encoding = label === undefined ? undefined : encodingOf(label);
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

/** How sure UTF-16 is that NUL bytes show. */
const SURE = 0.95;

const refusal = (reason: string): Error => refusedError(`The file cannot be read as text: ${reason}.`);

async function readByTrial(file: SourceFile, report: Report): Promise<Decoded> {
  const { detectAll } = await import('jschardet');
  const trial = decodeByTrial(file.bytes, declaredLabels(file), detectAll);
  if ('tried' in trial)
    throw refusal(
      `its bytes are not valid in any encoding that was tried (${trial.tried.join(', ')}); if it is text, ${REMEDY}`,
    );
  const { text, encoding, inferred } = trial;
  if (inferred !== undefined) reportInferred(report, inferred);
  return { text, encoding };
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

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

const hasUtf32Mark = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 0xff, 0xfe, 0, 0) || startsWith(bytes, 0, 0, 0xfe, 0xff);

const hasNul = (bytes: Uint8Array): boolean => bytes.includes(0);

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
  return labels.flatMap((label = '') => asWritten(label) ?? []);
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
  const encoding = encodingOf(label);
  if (encoding?.startsWith('utf-16') === true) return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

const createTextReader: Factory<typeof manifest> = () => ({
  async read(file, { signal, report }) {
    signal.throwIfAborted();
    return readText(file, report);
  },
});

export default createTextReader;
