import { type Decoded, decode, isPlainText } from './decode.ts';

/** Bytes that are looked at to find UTF-16 without a byte order mark. */
const SAMPLE = 8192;
/** Letters whose own number ends in 00 may put some on the other side. */
const MOST_ELSEWHERE = 0.1;
/** So many of the pairs of such a text have a byte NUL on one side: letters of ASCII, spaces, ends of lines. */
const LEAST_SHARE = 0.1;
/** Fewer bytes NUL than this may stand on one side by chance, unless nearly half of the pairs have one. */
const LEAST_NULS = 16;
const SURE_SHARE = 0.4;

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

/** Whether a file begins with the byte order mark of UTF-32. */
export const usesUtf32 = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 0xff, 0xfe, 0, 0) || startsWith(bytes, 0, 0, 0xfe, 0xff);

/** The encoding whose byte order mark a file begins with. */
export function encodingOfMark(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  return startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : undefined;
}

export const hasNul = (bytes: Uint8Array): boolean => bytes.includes(0);

/** A text in UTF-16 without a byte order mark: bytes NUL stand on one side of the pairs. */
export function wideText(bytes: Uint8Array): Decoded | undefined {
  if (bytes.length % 2 !== 0 || !hasNul(bytes)) return undefined;
  const length = Math.min(bytes.length, SAMPLE);
  const nuls: [even: number, odd: number] = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) nuls[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = nuls;
  const [less, most] = even < odd ? [even, odd] : [odd, even];
  const share = most >= LEAST_NULS ? LEAST_SHARE : SURE_SHARE;
  if (less > most * MOST_ELSEWHERE || most < (length / 2) * share) return undefined;
  const decoded = decode(bytes, odd > even ? 'utf-16le' : 'utf-16be');
  return decoded !== undefined && isPlainText(decoded.text) ? decoded : undefined;
}
