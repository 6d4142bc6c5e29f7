import { forEachRawWord, type Isolated } from './raw-words.ts';
import type { WordTokens } from './word-tokens.ts';

/** Texts up to this length are counted word by word: their spans are seldom requested twice. */
const SHORT = 2048;

/**
 * Counts the tokens of stretches of one text. The words of a long text are counted once, when the first stretch is
 * requested; after that a stretch costs two searches and the words that its boundaries cut.
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

/** All words of a text. */
interface CountedWords {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Tokens of all words before the one with the same index. */
  readonly before: Uint32Array;
  readonly count: number;
}

function countAll(text: string, isolated: Isolated, tokens: WordTokens): CountedWords {
  // A word has at least one unit.
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
  // A word that begins before the stretch, and one that ends after it; they may be the same.
  const cutAtStart = first > 0 && (ends[first - 1] as number) > start;
  if (cutAtStart) total += countDirectly(start, Math.min(ends[first - 1] as number, end));
  if (behind > first) total += (before[behind] as number) - (before[first] as number);
  const last = Math.max(behind, first);
  if (last < count && (starts[last] as number) < end) total += countDirectly(starts[last] as number, end);
  return total;
}

/** The first index whose number is at least `value`. */
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
