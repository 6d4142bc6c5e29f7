import type { SourceFile } from '../../core/contracts/reader.ts';
import { refusedError } from '../../core/errors.ts';
import { encodingOfMark } from './encoding-of-mark.ts';

const REMEDY = 'save it as UTF-8, or name its encoding in the media type, as in "; charset=windows-1252"';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a text file by its byte order mark, otherwise by the charset of the request, otherwise as UTF-8.
 *
 * @throws Error for callers if the bytes are invalid in this encoding
 */
export function decodeUnicode({ bytes, charset }: Pick<SourceFile, 'bytes' | 'charset'>): {
  readonly text: string;
  readonly encoding: string;
} {
  const label = encodingOfMark(bytes) ?? charset ?? 'utf-8';
  try {
    const decoder = label === 'utf-8' ? UTF_8 : new TextDecoder(label, { fatal: true });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch (error) {
    // The decoder does not know the encoding, or the bytes are invalid. Other errors are not the file's fault.
    if (error instanceof RangeError || error instanceof TypeError)
      throw refusedError(`The file cannot be read: it is not valid ${label}; ${REMEDY}.`, error);
    throw error;
  }
}
