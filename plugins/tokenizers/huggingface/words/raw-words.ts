import type { TextStage } from '../stages/library-stages.ts';
import type { TokenizerFile } from '../tokenizer-file.ts';
import type { WordTokens } from './word-tokens.ts';

/** Normalizers that treat each stretch between white space separately. */
const LOCAL_NORMALIZERS = new Set('BertNormalizer Lowercase NFC NFD NFKC NFKD StripAccents'.split(' '));

/** Pre-tokenizers that drop white space and never join text across it. */
const SPACE_SPLITTERS = new Set(['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit']);

/** Whether the tokens stay the same if the words between white space are read one by one. */
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

/** Which characters are always words of their own. */
export interface Isolated {
  /** Whether Chinese characters are isolated: the first stage puts spaces around them. */
  readonly chinese: boolean;
  /** Whether ASCII punctuation is isolated: pre-tokenizers cut at it, normalizers do not join it to text. */
  readonly punctuation: boolean;
}

/**
 * What to isolate in one text. In a text with a capital sigma, punctuation is not isolated: the lower case of
 * sigma depends on the letters around it, even across an apostrophe.
 */
export function isolatedIn(text: string, { chinese, punctuation }: Isolated): Isolated {
  return { chinese, punctuation: punctuation && !text.includes('Σ') };
}

/** For token ends, punctuation is not isolated: text dropped before punctuation belongs to that token. */
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

/** Creates a function that predicts the output of the stages for a word, or returns undefined. */
export function plainWords(file: TokenizerFile): (word: string) => string | undefined {
  const isPredictable =
    changesOnlyLetters(file) && file.preTokenizers.every(({ type }) => type === 'BertPreTokenizer');
  if (!isPredictable) return () => undefined;
  const lowers = file.normalizers.some(({ type, lowercase }) => type === 'Lowercase' || Boolean(lowercase));
  return (word) =>
    /^(?:[0-9A-Za-z]+|[!-/:-@[-`{-~])$/.test(word) ? (lowers ? word.toLowerCase() : word) : undefined;
}

/** Receives a word and a hash of its UTF-16 units. Hashes differ between processes. */
type VisitWord = (start: number, end: number, hash: number, units: Uint16Array) => void;

/** Visits each word between white space, and each isolated character. @param visit gets the text's units */
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

/** Maximum UTF-16 units of a text in the reused array. */
const MAX_REUSED = 1 << 16;
const reused = new Uint16Array(MAX_REUSED);

function unitsOf(text: string): Uint16Array {
  const units = text.length <= MAX_REUSED ? reused : new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** A random seed prevents clients from choosing words with the same hash. */
const [SEED = 0] = crypto.getRandomValues(new Int32Array(1));

const withUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

const INSIDE = 0;
const SPACE = 1;
const ALONE = 2;

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

/** A text up to this length is counted again for each span, because few spans of it are requested twice. */
const SHORT = 2048;

/**
 * Counts the tokens of spans of one text. Words of a long text are counted once, at the first request. Each
 * span then takes two binary searches, and counts only the words that its boundaries cut.
 */
export function createWordCounts(
  text: string,
  isolated: Isolated,
  tokens: WordTokens,
): (start: number, end: number) => number {
  let words: CountedWords | undefined;

  function countDirectly(start: number, end: number): number {
    let total = 0;
    const stretch = text.slice(start, end);
    forEachRawWord(stretch, isolated, (from, to, hash, units) => {
      total += tokens.countOf(tokens.find(stretch, from, to, hash, units));
    });
    return total;
  }

  return (start, end) => {
    if (text.length <= SHORT) return countDirectly(start, end);
    words ??= countAll(text, isolated, tokens);
    return countBetween(words, start, end, countDirectly);
  };
}

interface CountedWords {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly before: Uint32Array;
  readonly count: number;
}

function countAll(text: string, isolated: Isolated, tokens: WordTokens): CountedWords {
  // An upper bound of the number of words: each word has at least one unit.
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  const before = new Uint32Array(text.length + 1);
  let count = 0;
  forEachRawWord(text, isolated, (from, to, hash, units) => {
    starts[count] = from;
    ends[count] = to;
    before[count + 1] = (before[count] as number) + tokens.countOf(tokens.find(text, from, to, hash, units));
    count++;
  });
  return {
    starts: starts.slice(0, count),
    ends: ends.slice(0, count),
    before: before.slice(0, count + 1),
    count,
  };
}

function countBetween(
  { starts, ends, before, count }: CountedWords,
  start: number,
  end: number,
  countDirectly: (start: number, end: number) => number,
): number {
  const first = lowerBound(starts, count, start);
  const behind = lowerBound(ends, count, end + 1);
  let total = 0;
  // The words that `start` and `end` cut are counted directly. Both may cut the same word.
  const cutAtStart = first > 0 && (ends[first - 1] as number) > start;
  if (cutAtStart) total += countDirectly(start, Math.min(ends[first - 1] as number, end));
  if (behind > first) total += (before[behind] as number) - (before[first] as number);
  const last = Math.max(behind, first);
  if (last < count && (starts[last] as number) < end) total += countDirectly(starts[last] as number, end);
  return total;
}

function lowerBound(rising: Uint32Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
