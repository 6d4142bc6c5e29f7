import { refusedError } from '../../../../core/kit.ts';

/** What a decoder of compressed RTF knows before it begins (MS-OXRTFCP 2.1.2.1). */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const DICTIONARY_BYTES = 4096;
const HEADER_BYTES = 16;
const COMPRESSED = 'LZFu';
const UNCOMPRESSED = 'MELA';

/** Decompresses RTF of Outlook (MS-OXRTFCP). @throws Error for callers if it is damaged */
export function decompressRtf(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kind = source.toString('latin1', 8, 12);
  if (kind === UNCOMPRESSED) return source.subarray(HEADER_BYTES);
  if (kind !== COMPRESSED) throw refusedError('The file cannot be read: the text of a message is damaged.');
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let write = dictionary.write(DICTIONARY, 'latin1');
  // Each reference has two bytes, and expands to at most 17.
  const output = Buffer.alloc(source.length * 9);
  let length = 0;
  const put = (byte: number): void => {
    output[length++] = byte;
    dictionary[write] = byte;
    write = (write + 1) % DICTIONARY_BYTES;
  };
  let at = HEADER_BYTES;
  while (at < source.length) {
    const control = source[at++] as number;
    for (let bit = 0; bit < 8 && at < source.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(source[at++] as number);
        continue;
      }
      const reference = ((source[at] as number) << 8) | (source[at + 1] ?? 0);
      at += 2;
      const offset = reference >> 4;
      if (offset === write) return output.subarray(0, length);
      for (let index = 0; index < (reference & 15) + 2; index++)
        put(dictionary[(offset + index) % DICTIONARY_BYTES] as number);
    }
  }
  return output.subarray(0, length);
}

const FROM_HTML = /^\{\\rtf1[\s\S]*?\\fromhtml1/;
/** Bytes that are searched for the mark of HTML in RTF. */
const MAX_HEAD = 2000;

/** Whether RTF wraps the HTML of a message (MS-OXRTFEX). */
export const isFromHtml = (rtf: Buffer): boolean => FROM_HTML.test(rtf.toString('latin1', 0, MAX_HEAD));
