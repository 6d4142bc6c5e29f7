import type { TokenizedText, Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { splitsCodePoint } from '../../../../core/engine/text.ts';
import { parseTokenizerFile } from '../file/tokenizer-file.ts';
import type { Library } from '../stages/library-stages.ts';
import { forEachRawWord, hasRawWords, isolatesChinese } from '../words/raw-words.ts';
import { createWordCounts } from '../words/word-counts.ts';
import { WordTokens, withRoomFor } from '../words/word-tokens.ts';
import { type Assembly, assemble } from './assembly.ts';
import { countTokens, readTokens, tokenIds } from './read-tokens.ts';

/** Makes a tokenizer from the text of a `tokenizer.json`. Throws if that is broken or not supported. */
export function createTokenizer(name: string, json: string, library: Library): Tokenizer {
  const file = parseTokenizerFile(json);
  const assembly = assemble(library, file);
  const read = hasRawWords(file, assembly.normalizers, assembly.splitters)
    ? readByWords(assembly, isolatesChinese(file))
    : readAtOnce(assembly);
  return { name, ...read, specialTokens: file.specialTokens };
}

type ReadingMethods = Required<Pick<Tokenizer, 'tokenize' | 'encode'>>;

/** Longest list of tokens whose memory is kept for the next text. */
const MAX_KEPT = 1 << 20;

/** For tokenizers that read each word between white space on its own. */
function readByWords(assembly: Assembly, isolateChinese: boolean): ReadingMethods {
  const words = new WordTokens((word) => readTokens(assembly, word));
  let found = new Uint32Array();

  /** A number for each token, made from the start of its word. The array is valid until the next call. */
  function collect(text: string, numberOf: (token: number, start: number) => number): Uint32Array {
    let count = 0;
    forEachRawWord(text, 0, text.length, isolateChinese, (start, end, hash) => {
      const word = words.find(text, start, end, hash);
      const first = words.first[word] as number;
      const behind = words.first[word + 1] as number;
      found = withRoomFor(found, count + behind - first);
      for (let token = first; token < behind; token++) found[count++] = numberOf(token, start);
    });
    const collected = found.subarray(0, count);
    if (found.length > MAX_KEPT) found = new Uint32Array();
    return collected;
  }

  const endOf = (token: number, start: number): number => start + (words.ends[token] as number);
  const idOf = (token: number): number => words.ids[token] as number;
  const tokenize = (text: string): TokenizedText => ({
    count: createWordCounts(text, isolateChinese, words),
    ends: () => settle(collect(text, endOf), text),
  });
  const encode = (text: string): Uint32Array => collect(text, idOf).slice();
  return { tokenize, encode };
}

/** For tokenizers in which the tokens of a word can depend on the text around it. */
function readAtOnce(assembly: Assembly): ReadingMethods {
  return {
    tokenize: (text) => ({
      count: (start, end) => countTokens(assembly, text.slice(start, end)),
      ends: () => settle(readTokens(assembly, text).ends, text),
    }),
    encode: (text) => new Uint32Array(tokenIds(assembly, text)),
  };
}

/** Makes the ends rise, keeps them out of surrogate pairs, and puts the last one at the end of the text. */
function settle(ends: ArrayLike<number>, text: string): Uint32Array {
  const settled = new Uint32Array(ends.length);
  let highest = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = Math.min(ends[index] as number, text.length);
    highest = Math.max(highest, splitsCodePoint(text, end) ? end + 1 : end);
    settled[index] = highest;
  }
  if (ends.length > 0) settled[ends.length - 1] = text.length;
  return settled;
}
