import { countCodePoints } from '../../../../core/kit.ts';
import { unknownIdOf, type WordPieceConfig } from '../file/tokenizer-file.ts';
import { prefixOf } from './vocabulary.ts';
import { WordBuilder, type WordModel } from './word.ts';

const AT_START = prefixOf('');

/** Longest match first, from the left; a word that cannot be matched to its end is one unknown token. */
export function createWordPiece(config: WordPieceConfig): WordModel {
  const { vocabulary, maxCharacters, fusesUnknown } = config;
  const unknownId = unknownIdOf(config);
  const inside = prefixOf(config.prefix);

  /** Adds the tokens of a word up to the first place without a match, and returns that place. */
  function match(word: string, tokens: WordBuilder): number {
    let start = 0;
    while (start < word.length) {
      const prefix = start === 0 ? AT_START : inside;
      const index = vocabulary.longest(word, start, prefix);
      if (index === -1) break;
      const id = vocabulary.ids[index];
      const isUnknown = start === 0 && id === unknownId;
      start += vocabulary.lengthOf(index) - prefix.text.length;
      tokens.add(start, id, isUnknown);
    }
    return start;
  }

  function unknown(word: string): WordBuilder {
    const tokens = new WordBuilder(fusesUnknown);
    if (word.length > 0) tokens.add(word.length, unknownId, true);
    return tokens;
  }

  return {
    fusesUnknown,
    cutsAtMetaspace: false,
    read(word) {
      if (countCodePoints(word, 0, word.length) > maxCharacters) return unknown(word);
      const tokens = new WordBuilder(fusesUnknown);
      return match(word, tokens) === word.length ? tokens : unknown(word);
    },
  };
}
