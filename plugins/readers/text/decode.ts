/** A text, without a byte order mark, and the name of its encoding in the WHATWG Encoding Standard. */
export interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/** ASCII, which the standard takes for windows-1252. */
const ASCII = /^(us-)?ascii$/i;
/** Control characters that hardly a text has: all but white space, ESC, and NEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u0084\u0086-\u009f]/g;
/** The decoders of ICU read bytes that begin no character of these encodings as control characters; the standard has them as errors. */
const EAST_ASIAN = /^(?:big5|euc-|gb|shift_jis)/;
const C1 = /[\u0080-\u009f]/;
/** One of them may have got into so many characters by mistake. */
const CHARACTERS_PER_CONTROL = 200;

/** The name of the encoding that a label stands for, if there is one that can be decoded. */
export function labelOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Decodes bytes without a loss; nothing if there is no such encoding, or if they are not valid in it. */
export function decode(bytes: Uint8Array, label: string): Decoded | undefined {
  if (ASCII.test(label) && bytes.some((byte) => byte > 0x7f)) return undefined;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    const text = decoder.decode(bytes);
    if (EAST_ASIAN.test(decoder.encoding) && C1.test(text)) return undefined;
    return { text, encoding: decoder.encoding };
  } catch (error) {
    // Of an unknown label and of bytes that are not valid; a text that is too long is another error.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether a text that was decoded by a guess has hardly any of the characters that a wrong guess brings about. */
export function isPlainText(text: string): boolean {
  let allowed = Math.floor(text.length / CHARACTERS_PER_CONTROL);
  for (const _ of text.matchAll(CONTROL)) if (--allowed < 0) return false;
  return true;
}
