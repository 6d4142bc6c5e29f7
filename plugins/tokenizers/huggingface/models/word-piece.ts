import { countCodePoints, splitsCodePoint } from '../../../../core/kit.ts';
import type { WordPieceConfig } from '../file/tokenizer-file.ts';
import { WordBuilder, type WordModel } from './word.ts';

/** Longest match first, from the left; a word that cannot be matched to its end is one unknown token. */
export function createWordPiece(config: WordPieceConfig): WordModel {
  const { vocabulary, prefix, maxCharacters, unknownToken } = config;
  const unknownId = unknownToken === undefined ? undefined : vocabulary.get(unknownToken);
  let longest = 0;
  for (const token of vocabulary.keys()) longest = Math.max(longest, token.length);

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
function matchedEnds(config: WordPieceConfig, longest: number, word: string): number[] {
  const ends: number[] = [];
  for (let start = 0; start < word.length; start = ends.at(-1) as number) {
    const end = matchEnd(config, longest, word, start);
    if (end === start) break;
    ends.push(end);
  }
  return ends;
}

/** The end of the longest token at `start`, or `start` if there is none. */
function matchEnd(
  { vocabulary, prefix }: WordPieceConfig,
  longest: number,
  word: string,
  start: number,
): number {
  let end = Math.min(word.length, start + longest);
  for (; end > start; end--) {
    if (splitsCodePoint(word, end)) continue;
    const piece = word.slice(start, end);
    if (vocabulary.has(start === 0 ? piece : prefix + piece)) break;
  }
  return end;
}
