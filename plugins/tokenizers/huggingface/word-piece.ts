import type { WordPieceFile } from './tokenizer-file.ts';
import { createWordBuilder, type Model } from './word.ts';

/** Longest match first, from the left; a word that cannot be matched to its end is one unknown token. */
export function createWordPiece(file: WordPieceFile): Model {
  const { vocabulary, prefix, maxCharacters } = file;
  const unknownId = file.unknownToken === undefined ? undefined : vocabulary.get(file.unknownToken);
  let longest = 0;
  for (const token of vocabulary.keys()) longest = Math.max(longest, token.length);

  /** The end of the longest token at `start`, or `start` where there is none. */
  function matchEnd(word: string, start: number): number {
    let end = Math.min(word.length, start + longest);
    for (; end > start; end--) {
      if (splitsPair(word, end)) continue;
      const piece = word.slice(start, end);
      if (vocabulary.has(start === 0 ? piece : prefix + piece)) break;
    }
    return end;
  }

  return {
    fusesUnknown: file.fusesUnknown,
    cutsAtMetaspace: false,
    read(word) {
      const tokens = createWordBuilder(file.fusesUnknown);
      if (word.length === 0) return tokens.word();
      const ends: number[] = [];
      if (countCodePoints(word, maxCharacters) <= maxCharacters) {
        for (let start = 0; start < word.length; start = ends.at(-1) as number) {
          const end = matchEnd(word, start);
          if (end === start) break;
          ends.push(end);
        }
      }
      if (ends.at(-1) === word.length) {
        let start = 0;
        for (const end of ends) {
          const id = vocabulary.get(start === 0 ? word.slice(0, end) : prefix + word.slice(start, end));
          tokens.add(end, id, start === 0 && id === unknownId);
          start = end;
        }
      } else tokens.add(word.length, unknownId, true);
      return tokens.word();
    },
  };
}

/** The number of code points, or any number over `most` where there are more. */
function countCodePoints(word: string, most: number): number {
  if (word.length <= most || word.length > 2 * most) return word.length;
  return [...word].length;
}

const splitsPair = (word: string, offset: number): boolean =>
  (word.charCodeAt(offset) & 0xfc00) === 0xdc00 && (word.charCodeAt(offset - 1) & 0xfc00) === 0xd800;
