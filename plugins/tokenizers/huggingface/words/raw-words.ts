import type { TokenizerFile } from '../file/tokenizer-file.ts';
import type { TextStage } from '../stages/library-stages.ts';

/** Normalizers that treat the text between two white spaces separately. */
const LOCAL_NORMALIZERS = new Set([
  'BertNormalizer',
  'Lowercase',
  'NFC',
  'NFD',
  'NFKC',
  'NFKD',
  'StripAccents',
]);

/** Pre-tokenizers that drop white space and never join text across it. */
const SPACE_SPLITTERS = new Set(['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit']);

/** Whether the words between white space can be read one by one, with the same resulting tokens. */
export function hasRawWords(
  file: TokenizerFile,
  normalizers: readonly TextStage[],
  splitters: readonly TextStage[],
): boolean {
  return (
    file.addedTokens.length === 0 &&
    file.model.type !== 'Unigram' &&
    !file.model.fusesUnknown &&
    normalizers.every((stage) => LOCAL_NORMALIZERS.has(stage.type)) &&
    SPACE_SPLITTERS.has(splitters[0]?.type ?? '')
  );
}

/** Which characters are words of their own, whatever surrounds them. */
export interface Isolated {
  /** Chinese characters: the first stage puts spaces around them. */
  readonly chinese: boolean;
  /** ASCII punctuation: the pre-tokenizer cuts at it, and no normalizer joins it with anything. */
  readonly punctuation: boolean;
}

/**
 * What is isolated in a text: with a capital sigma no punctuation is, because the lower case of that letter depends on
 * the letters around it, across an apostrophe too.
 */
export function isolatedIn(text: string, { chinese, punctuation }: Isolated): Isolated {
  return { chinese, punctuation: punctuation && !text.includes('Σ') };
}

/** For ends of tokens: text that a normalizer drops belongs to the token after it, which may be punctuation. */
export const withoutPunctuation = ({ chinese }: Isolated): Isolated => ({ chinese, punctuation: false });

export function isolatedBy(file: TokenizerFile): Isolated {
  const [first] = file.normalizers;
  return {
    chinese: first?.type === 'BertNormalizer' && Boolean(first.handle_chinese_chars),
    punctuation: changesOnlyLetters(file) && file.preTokenizers[0]?.type === 'BertPreTokenizer',
  };
}

const changesOnlyLetters = ({ normalizers }: TokenizerFile): boolean =>
  normalizers.every(({ type }) => type === 'BertNormalizer' || type === 'Lowercase');

/** What the stages make of a word of ASCII letters and digits, or of one punctuation mark; undefined for other words. */
export function plainWords(file: TokenizerFile): (word: string) => string | undefined {
  const isKnown =
    changesOnlyLetters(file) && file.preTokenizers.every(({ type }) => type === 'BertPreTokenizer');
  if (!isKnown) return () => undefined;
  const lowers = file.normalizers.some(({ type, lowercase }) => type === 'Lowercase' || Boolean(lowercase));
  return (word) =>
    /^(?:[0-9A-Za-z]+|[!-/:-@[-`{-~])$/.test(word) ? (lowers ? word.toLowerCase() : word) : undefined;
}

/** Called with a word of a text and a hash of its UTF-16 units, which differs from process to process. */
export type VisitWord = (start: number, end: number, hash: number, units: Uint16Array) => void;

/**
 * Visits each word between white space, and each isolated character as a word.
 *
 * @param visit gets the units of the text as well, because reading them from an array is faster than from a text
 */
export function forEachRawWord(text: string, { chinese, punctuation }: Isolated, visit: VisitWord): void {
  const kinds = punctuation ? KINDS_WITH_PUNCTUATION : KINDS;
  const units = unitsOf(text);
  const { length } = text;
  let wordStart = 0;
  let hash = SEED;
  for (let index = 0; index < length; index++) {
    const unit = units[index] as number;
    const kind = unit < ASCII ? kinds[unit] : chinese && isChinese(unit) ? ALONE : INSIDE;
    if (kind === INSIDE) {
      hash = withUnit(hash, unit);
      continue;
    }
    if (index > wordStart) visit(wordStart, index, hash, units);
    if (kind === ALONE) visit(index, index + 1, withUnit(SEED, unit), units);
    wordStart = index + 1;
    hash = SEED;
  }
  if (length > wordStart) visit(wordStart, length, hash, units);
}

/** Longest text whose units are written into the array that is reused. */
const MAX_REUSED = 1 << 16;
const reused = new Uint16Array(MAX_REUSED);

/** The units of a text, valid until the next call. */
function unitsOf(text: string): Uint16Array {
  const units = text.length <= MAX_REUSED ? reused : new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** Random, so that no client can choose words with the same hash. */
const [SEED = 0] = crypto.getRandomValues(new Int32Array(1));

/** A step of FNV-1a, with whole UTF-16 units. */
const withUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** Kinds of characters: part of a word, white space between words, a word of its own. */
const [INSIDE, SPACE, ALONE] = [0, 1, 2];

const ASCII = 0x80;
const KINDS = new Uint8Array(ASCII);
for (const space of ' \t\n\r') KINDS[space.charCodeAt(0)] = SPACE;
const KINDS_WITH_PUNCTUATION = KINDS.map((kind, unit) =>
  /[!-/:-@[-`{-~]/.test(String.fromCharCode(unit)) ? ALONE : kind,
);

const isChinese = (code: number): boolean =>
  code >= 0x3400 &&
  ((code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0xf900 && code <= 0xfaff));
