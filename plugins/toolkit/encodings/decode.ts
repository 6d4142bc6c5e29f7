export interface Decoded {
  readonly text: string;
  /** Name in the WHATWG Encoding Standard. */
  readonly encoding: string;
}

/** A text whose encoding was inferred from its bytes, against what the file declares, if it declares any. */
export interface Inferred {
  /** How sure the inference is, from 0 to 1. */
  readonly confidence: number;
  /** How many bytes are invalid in the encoding, and were read as windows-1252. */
  readonly odd?: number;
}

/** Labels of ASCII, which the WHATWG standard treats as windows-1252. */
const ASCII = /^(us-)?ascii$/i;
/** Control characters that rarely occur in text: all except white space, ESC, and NEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u0084\u0086-\u009f]/g;
/** Encodings in which ICU decodes invalid lead bytes to control characters. The standard rejects the text. */
export const EAST_ASIAN = /^(?:big5|euc-|gb|shift_jis)/;
const C1 = /[\u0080-\u009f]/;
/** A text with fewer characters per control character comes from a wrong guess. */
const CHARACTERS_PER_CONTROL = 200;

/** The name of an encoding; undefined for an unknown label. */
export function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Decodes bytes losslessly; undefined if the encoding is unknown, or the bytes are invalid in it. */
export function decode(bytes: Uint8Array, label: string): Decoded | undefined {
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
export function isPlainText(text: string): boolean {
  let allowed = Math.floor(text.length / CHARACTERS_PER_CONTROL);
  for (const _ of text.matchAll(CONTROL)) if (--allowed < 0) return false;
  return true;
}

/** The same bytes as a buffer, which is searched much faster. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Bytes that are searched for UTF-16 without a byte order mark. */
const SAMPLE = 8192;
/** Maximum NUL bytes on the rarer side of byte pairs (as in U+0100), relative to those on the other side. */
const MAX_ELSEWHERE = 0.1;
/** Minimum share of pairs with a NUL byte on the more frequent side, as ASCII letters and spaces have. */
const MIN_SHARE = 0.1;
/** With fewer NUL bytes on the more frequent side, their share of pairs must be at least `SURE_SHARE`. */
const MIN_NULS = 16;
const SURE_SHARE = 0.4;

/** Decodes UTF-16 without a byte order mark, recognised by NUL bytes mostly on one side of byte pairs. */
export function decodeMarkless(bytes: Uint8Array): Decoded | undefined {
  if (bytes.length % 2 !== 0 || !asBuffer(bytes).includes(0)) return undefined;
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
