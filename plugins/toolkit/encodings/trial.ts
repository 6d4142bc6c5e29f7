import type { Report } from '../../../core/contracts/chunk.ts';
import {
  asBuffer,
  type Decoded,
  decode,
  EAST_ASIAN,
  encodingOf,
  type Inferred,
  isPlainText,
} from './decode.ts';
import { type DetectAll, guessesOf } from './detected.ts';
import { isDoubtful } from './doubtful.ts';
import { decodeMixed } from './mixed.ts';

/** Reports an inference, by the names that the manifests of readers list. */
export function reportInferred(report: Report, { confidence, odd = 0 }: Inferred): void {
  report('source-encoding-inferred', 'true');
  report('source-encoding-confidence', confidence.toFixed(2));
  if (odd > 0) report('source-odd-bytes', String(odd));
}

type Trial = Decoded & { readonly inferred?: Inferred };

/** With fewer characters that are not ASCII, bytes of another encoding may be valid UTF-8 by chance. */
const MIN_CHARACTERS = 3;
const NOT_ASCII = /[^\0-\u007f]/g;
/** Signs that pages in UTF-8 have although they declare another encoding: accents, and punctuation. */
const COMMON = /[\u00a0-\u00ff\u2010-\u2026\u20ac\u2122]/;
const SURE = 0.99;
const FAIRLY_SURE = 0.9;

/**
 * Decodes bytes in the declared encodings if they fit, else as UTF-8, else in the encoding that they seem to have. A
 * wrong declaration is not believed, because texts in other encodings are hardly ever valid UTF-8.
 *
 * @param labels of encodings that the file itself has
 * @param detectAll of the package jschardet
 * @param sampleOf the bytes to detect the encoding of; default: all
 * @returns the text, or the encodings that were tried
 */
export function decodeByTrial(
  bytes: Uint8Array,
  labels: readonly string[],
  detectAll: DetectAll,
  sampleOf: (bytes: Uint8Array) => Uint8Array = (all) => all,
): Trial | { readonly tried: readonly string[] } {
  const declared = switchesToKanji(bytes) ? [...labels, 'iso-2022-jp'] : labels;
  const written = declared.flatMap((label) => decode(bytes, label) ?? []);
  const utf8 = written.find(({ encoding }) => encoding === 'utf-8') ?? decode(bytes, 'utf-8');
  const [first] = written;
  if (utf8 !== undefined && first !== undefined) return chosen(first, utf8);
  if (utf8 !== undefined) return declared.some(encodingOf) ? { ...utf8, inferred: surenessOf(utf8) } : utf8;
  const believed = written.find(({ text, encoding }) => !isDoubtful(text, encoding));
  if (believed !== undefined) return believed;
  const mixed = decodeMixed(bytes);
  if (mixed !== undefined) return mixed;
  const tried = [...declared, 'utf-8'];
  for (const { label, confidence } of guessesOf(sampleOf(bytes), detectAll)) {
    const decoded = decode(bytes, label);
    // A doubtful declaration is given up only for a text that is not doubtful.
    const isBetter =
      first === undefined || (decoded !== undefined && !isDoubtful(decoded.text, decoded.encoding));
    if (decoded !== undefined && isBetter && isPlainText(decoded.text))
      return decoded.text === first?.text ? first : { ...decoded, inferred: { confidence } };
    tried.push(label);
  }
  return first ?? { tried: [...new Set(tried)] };
}

function surenessOf({ text }: Decoded): Inferred {
  const count = text.match(NOT_ASCII)?.length ?? 0;
  return { confidence: count >= MIN_CHARACTERS || count === 0 ? SURE : FAIRLY_SURE };
}

/** Chooses between a declared encoding and UTF-8, both of which are valid. */
function chosen(declared: Decoded, utf8: Decoded): Trial {
  if (declared.text === utf8.text || declared.encoding === 'iso-2022-jp') return declared;
  const characters = utf8.text.match(NOT_ASCII) ?? [];
  const isSure = characters.length >= MIN_CHARACTERS;
  const isAccident =
    EAST_ASIAN.test(declared.encoding) && !isSure && !characters.every((one) => COMMON.test(one));
  return isAccident ? declared : { ...utf8, inferred: surenessOf(utf8) };
}

/** Detects ISO-2022-JP, which is ASCII with escapes and therefore also valid UTF-8. */
function switchesToKanji(bytes: Uint8Array): boolean {
  const buffer = asBuffer(bytes);
  return buffer.includes('\u001b$B') || buffer.includes('\u001b$@');
}
