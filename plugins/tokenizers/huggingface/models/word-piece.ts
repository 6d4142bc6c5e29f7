import { countCodePoints, splitsCodePoint } from '../../../../core/kit.ts';
import type { WordPieceConfig } from '../file/tokenizer-file.ts';
import { WordBuilder, type WordModel } from './word.ts';

/** Longest match first, from the left; a word that cannot be matched to its end is one unknown token. */
export function createWordPiece(config: WordPieceConfig): WordModel {
  const { vocabulary, prefix, maxCharacters, unknownToken } = config;
  const unknownId = unknownToken === undefined ? undefined : vocabulary.get(unknownToken);
  const longest = longestTokens(config);

  return {
    fusesUnknown: config.fusesUnknown,
    cutsAtMetaspace: false,
    read(word) {
      const tokens = new WordBuilder(config.fusesUnknown);
      if (word.length === 0) return tokens;
      const isTooLong = countCodePoints(word, 0, word.length) > maxCharacters;
      const ends = isTooLong ? [] : matchedEnds(config, longest, word);
      if (ends.at(-1) !== word.length) {
        tokens.add(word.length, unknownId, true);
        return tokens;
      }
      let start = 0;
      for (const end of ends) {
        const id = vocabulary.get(start === 0 ? word.slice(0, end) : prefix + word.slice(start, end));
        tokens.add(end, id, start === 0 && id === unknownId);
        start = end;
      }
      return tokens;
    },
  };
}

/** The ends of consecutive matching tokens, up to the first place without a match. */
function matchedEnds(config: WordPieceConfig, longest: LongestTokens, word: string): number[] {
  const ends: number[] = [];
  for (let start = 0; start < word.length; start = ends.at(-1) as number) {
    const end = matchEnd(config, longest, word, start);
    if (end === start) break;
    ends.push(end);
  }
  return ends;
}

/** The length of the longest token, without its prefix, by the first two units: of tokens at a word's start, and within it. */
interface LongestTokens {
  readonly atStart: ReadonlyMap<number, number>;
  readonly inside: ReadonlyMap<number, number>;
}

function longestTokens({ vocabulary, prefix }: WordPieceConfig): LongestTokens {
  const atStart = new Map<number, number>();
  const inside = new Map<number, number>();
  for (const token of vocabulary.keys()) {
    keepLonger(atStart, token, 0);
    if (token.startsWith(prefix)) keepLonger(inside, token, prefix.length);
  }
  return { atStart, inside };
}

function keepLonger(lengths: Map<number, number>, token: string, from: number): void {
  const key = firstTwoUnits(token, from);
  lengths.set(key, Math.max(lengths.get(key) ?? 0, token.length - from));
}

/** A number for the first two units of a text from `at` on, or for its only one. */
function firstTwoUnits(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + (at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

/** The end of the longest token at `start`, or `start` if there is none. */
function matchEnd(
  { vocabulary, prefix }: WordPieceConfig,
  { atStart, inside }: LongestTokens,
  word: string,
  start: number,
): number {
  const most = (start === 0 ? atStart : inside).get(firstTwoUnits(word, start)) ?? 1;
  let end = Math.min(word.length, start + most);
  for (; end > start; end--) {
    if (splitsCodePoint(word, end)) continue;
    const piece = word.slice(start, end);
    if (vocabulary.has(start === 0 ? piece : prefix + piece)) break;
  }
  return end;
}
