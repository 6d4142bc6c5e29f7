import { isUtf8 } from 'node:buffer';
import { decodedAs } from './header.ts';

const ASCII =
  /^(?:us-?ascii|ascii|ansi_x3\.4-19\d\d|iso646-us|646|unknown(?:-8bit)?|x-unknown|default|[78]bit|binary|none)?$/i;
/** Encodings in which each byte is a character, so that bytes in UTF-8 are valid but garbled. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/;
const ALIASES: Readonly<Record<string, string>> = {
  cp936: 'gbk',
  'windows-936': 'gbk',
  cp950: 'big5',
  cp932: 'shift_jis',
  'windows-932': 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  utf8mb4: 'utf-8',
};

/**
 * The declared encoding, if the bytes fit it. Bytes in UTF-8 are UTF-8 whatever single-byte encoding is declared.
 * Undefined if the encoding has to be detected.
 */
export function fittingCharset(bytes: Uint8Array, declared = ''): string | undefined {
  const label = declared.trim().toLowerCase();
  if (/^(?:x-)?(?:unicode-1-1-)?utf-?7$/.test(label))
    return decodedAs(bytes, 'utf-7') === undefined ? undefined : 'utf-7';
  if (ASCII.test(label)) return undefined;
  const encoding = nameOf(ALIASES[label] ?? label);
  if (encoding === undefined || encoding === 'x-user-defined') return undefined;
  if (SINGLE_BYTE.test(encoding) && isUtf8(bytes)) return 'utf-8';
  // Readable as ASCII, as after another program has converted the whole message.
  if (encoding.startsWith('utf-16') && !bytes.includes(0)) return undefined;
  return decodedAs(bytes, encoding) === undefined ? undefined : encoding;
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
