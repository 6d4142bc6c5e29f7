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

/** Whether Chinese characters are words of their own from the first stage on. */
export function isolatesChinese(file: TokenizerFile): boolean {
  const [first] = file.normalizers;
  return first?.type === 'BertNormalizer' && Boolean(first.handle_chinese_chars);
}

/** Called with a word of a text and a hash of its UTF-16 units, which differs from process to process. */
export type VisitWord = (start: number, end: number, hash: number) => void;

/** Visits each word between white space, and each Chinese character if those are words of their own. */
export function forEachRawWord(
  text: string,
  start: number,
  end: number,
  isolateChinese: boolean,
  visit: VisitWord,
): void {
  let wordStart = start;
  let hash = SEED;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    const endsWord = unit > 0x20 ? isolateChinese && isChinese(unit) : isSpace(unit);
    if (!endsWord) {
      hash = withUnit(hash, unit);
      continue;
    }
    if (index > wordStart) visit(wordStart, index, hash);
    if (unit > 0x20) visit(index, index + 1, withUnit(SEED, unit));
    wordStart = index + 1;
    hash = SEED;
  }
  if (end > wordStart) visit(wordStart, end, hash);
}

/** Random, so that no client can choose words with the same hash. */
const [SEED = 0] = crypto.getRandomValues(new Int32Array(1));

/** A step of FNV-1a, with whole UTF-16 units. */
const withUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;

const isChinese = (code: number): boolean =>
  code >= 0x3400 &&
  ((code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0xf900 && code <= 0xfaff));
