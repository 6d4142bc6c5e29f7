import type { SourceFile } from '../../../core/contracts/reader.ts';
import { labelOf } from './decode.ts';

/** How much of a file may declare its encoding, as browsers have it. */
const SCANNED = 1024;

const XML = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']/;
const CSS = /^@charset "([^"]+)";/;
/** In a comment of the first two lines, as Python and Emacs read it. */
const COOKIE = /^(?:.*\r?\n)?[ \t\f]*(?:#|;|%|\/\/|--|\/\*|\.\.).*?coding[:=][ \t]*([\w.-]+)/;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const META = /<meta[\s/]([^>]*)/gi;
const CHARSET = /(?:^|[\s/"'])charset\s*=\s*["']?\s*([^\s"'/>;]+)/i;
const CONTENT_TYPE = /http-equiv\s*=\s*["']?content-type\b/i;
const IN_CONTENT = /content\s*=\s*(?:"[^"]*?|'[^']*?|[^\s"']*?)charset\s*=\s*([^\s"';>]+)/i;
const HTML_NAME = /\.(x?html?|xht|shtml)$/i;

/** The encodings that a document says that it is in. Labels that nobody knows are left out. */
export function declaredLabels({ bytes, name = '', mediaType = '' }: SourceFile): string[] {
  const head = String.fromCharCode(...bytes.subarray(0, SCANNED));
  const isHtml = HTML_NAME.test(name) || mediaType.includes('html') || /^\s*</.test(head);
  const declared = [XML, CSS, COOKIE].map((pattern) => pattern.exec(head)?.[1]);
  const labels = [...declared, isHtml ? charsetOfMeta(head) : undefined];
  const known = labels.flatMap((label) => (label === undefined ? [] : (asWritten(label) ?? [])));
  return switchesToKanji(bytes) ? [...known, 'iso-2022-jp'] : known;
}

/** ISO-2022-JP is ASCII with escapes, so that it is valid UTF-8 too. */
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

/** A declaration that could be read is not in UTF-16, whatever it says. */
function asWritten(label: string): string | undefined {
  const encoding = labelOf(label);
  if (encoding?.startsWith('utf-16') === true) return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}
