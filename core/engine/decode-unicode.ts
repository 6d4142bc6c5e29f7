import type { SourceFile } from '../contracts/reader.ts';

/** A text, and the name of its encoding in the WHATWG Encoding Standard; or why there is none, as a clause. */
export type DecodedText = { readonly text: string; readonly encoding: string } | { readonly problem: string };

/** By the bytes that it begins with. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const REMEDY = 'save it as UTF-8, or name its encoding in the media type, as in "; charset=windows-1252"';

/** Decodes a file of a format that is text: by its byte order mark, else by the charset of the request, else as UTF-8. */
export function decodeUnicode({ bytes, charset }: Pick<SourceFile, 'bytes' | 'charset'>): DecodedText {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const label = marked ?? charset ?? 'utf-8';
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch (error) {
    // For an unknown label and for invalid bytes; a text that is too long gives another error.
    if (error instanceof RangeError || error instanceof TypeError)
      return { problem: `it is not valid ${label}; ${REMEDY}` };
    throw error;
  }
}
