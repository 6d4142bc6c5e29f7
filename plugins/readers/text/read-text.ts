import type { SourceFile } from '../../../core/contracts/reader.ts';
import { describeBinary } from './binary.ts';
import { declaredLabels } from './declared.ts';
import { type Decoded, decode, isPlainText, labelOf } from './decode.ts';
import { detectedLabels } from './detected.ts';
import { encodingOfMark, hasNul, usesUtf32, wideText } from './wide.ts';

/** Why a file is not read, as a clause for the caller. */
interface Problem {
  readonly problem: string;
}

const REMEDY =
  'name the encoding in the media type, as in "text/plain; charset=windows-1252", or save the file as UTF-8';

/** Decodes a file by its byte order mark, by the charset of the request, or by the first encoding that fits. */
export async function readText(file: SourceFile): Promise<Decoded | Problem> {
  const { bytes, charset } = file;
  if (usesUtf32(bytes)) return { problem: 'it is in UTF-32; save it as UTF-8' };
  const mark = encodingOfMark(bytes);
  const label = mark ?? charset;
  if (label === undefined) {
    const wide = wideText(bytes);
    if (wide !== undefined) return wide;
  }
  const encoding = label === undefined ? undefined : labelOf(label);
  const isWide = encoding?.startsWith('utf-16') === true;
  const binary = isWide ? undefined : describeBinary(bytes, hasNul(bytes));
  if (binary !== undefined) return { problem: whyBinary(binary) };
  if (label === undefined) return readByTrial(file);
  const source = mark === undefined ? 'the charset of the request' : 'its byte order mark';
  if (encoding === undefined)
    return { problem: `there is no encoding ${JSON.stringify(label.slice(0, 40))}; ${REMEDY}` };
  return decode(bytes, label) ?? { problem: `it is not valid ${encoding}, which ${source} says; ${REMEDY}` };
}

const whyBinary = (what: string): string =>
  `it looks like ${what}; choose a reader of this format (GET /v1/plugins lists the readers), or send its text`;

/** Tries what the document says, then UTF-8, then what the detector finds. */
async function readByTrial(file: SourceFile): Promise<Decoded | Problem> {
  const { bytes } = file;
  const tried = [...declaredLabels(file), 'utf-8'];
  for (const label of tried) {
    const decoded = decode(bytes, label);
    if (decoded !== undefined) return decoded;
  }
  for (const label of await detectedLabels(bytes)) {
    const decoded = decode(bytes, label);
    if (decoded !== undefined && isPlainText(decoded.text)) return decoded;
    tried.push(label);
  }
  const list = [...new Set(tried)].join(', ');
  return { problem: `its bytes fit no encoding that was tried (${list}); if it is text, ${REMEDY}` };
}
