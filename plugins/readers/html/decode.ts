import { refusedError, type SourceFile } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';

/** How much of a file may declare its encoding: browsers read further than the 1024 bytes of the standard, too. */
const SCANNED = 16 * 1024;
const XML = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']/;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const META = /<meta[\s/]([^>]*)/gi;
const CHARSET = /(?:^|[\s/"';])charset\s*=\s*["']?\s*([^\s"'/>;]+)/i;

/**
 * Decodes a page as the HTML standard says: by its byte order mark, the charset of the request, its own declaration, else
 * as UTF-8, or as windows-1252 if it is not valid UTF-8.
 *
 * @throws Error for callers if it is not valid in this encoding, or not text
 */
export function decodePage({ bytes, charset }: SourceFile): ReturnType<typeof decodeUnicode> {
  const declared = declaredIn(String.fromCharCode(...bytes.subarray(0, SCANNED)));
  const known = isKnown(declared) ? declared : undefined;
  const undeclared = () => (isUtf8(bytes) ? 'utf-8' : (declared ?? 'windows-1252'));
  const { text, encoding } = decodeUnicode({ bytes, charset: charset ?? known ?? undeclared() });
  if (text.includes('\0'))
    throw refusedError(
      'The page cannot be read: it has NUL characters, as files that are not text have, and UTF-16 that is not named; save it as UTF-8.',
    );
  return { text, encoding };
}

function declaredIn(head: string): string | undefined {
  const xml = XML.exec(head)?.[1];
  const metas = head.replace(COMMENT, '').matchAll(META);
  const [label] = Array.from(metas, ([, attributes = '']) => CHARSET.exec(attributes)?.[1]).filter(Boolean);
  const declared = xml ?? label;
  // A declaration that can be read as ASCII is not in UTF-16, whatever it says.
  return declared !== undefined && /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}

function isKnown(label: string | undefined): boolean {
  if (label === undefined) return false;
  try {
    return new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}
