import type { TokenizedText, Tokenizer } from '../../../core/contracts.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { forEachRawWord, hasRawWords, isolatesChinese } from './raw-words.ts';
import type { Library } from './stages.ts';
import { parseTokenizerFile } from './tokenizer-file.ts';
import { createWordCounts } from './word-counts.ts';
import { WordTokens, withRoomFor } from './word-tokens.ts';

/** Makes a tokenizer of the text of a `tokenizer.json`. Throws where that is broken or not supported. */
export function createTokenizer(name: string, json: string, library: Library): Tokenizer {
  const file = parseTokenizerFile(json);
  const pipeline = createPipeline(library, file);
  const read = hasRawWords(file, pipeline.normalizers, pipeline.splitters)
    ? readByWords(pipeline, isolatesChinese(file))
    : readAtOnce(pipeline);
  return { name, ...read, frame: file.frame };
}

type Reader = Required<Pick<Tokenizer, 'tokenize' | 'encode'>>;

/** Longest list of tokens whose memory is kept for the next text. */
const MAX_KEPT = 1 << 20;

/** For tokenizers that read each word between white space by itself. */
function readByWords(pipeline: Pipeline, isolateChinese: boolean): Reader {
  const words = new WordTokens((word) => pipeline.read(word));
  let found = new Uint32Array();

  /** A number of each token, made by the start of its word; the array is only good until the next call. */
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

/** For tokenizers where a word can depend on what stands around it. */
function readAtOnce(pipeline: Pipeline): Reader {
  return {
    tokenize: (text) => ({
      count: (start, end) => pipeline.count(text.slice(start, end)),
      ends: () => settle(pipeline.read(text).ends, text),
    }),
    encode: (text) => new Uint32Array(pipeline.ids(text)),
  };
}

/** Makes ends rise, keeps them off the middle of surrogate pairs, and lets the last one close the text. */
function settle(ends: ArrayLike<number>, text: string): Uint32Array {
  const settled = new Uint32Array(ends.length);
  let highest = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = Math.min(ends[index] as number, text.length);
    highest = Math.max(highest, splitsPair(text, end) ? end + 1 : end);
    settled[index] = highest;
  }
  if (ends.length > 0) settled[ends.length - 1] = text.length;
  return settled;
}

const splitsPair = (text: string, offset: number): boolean =>
  (text.charCodeAt(offset) & 0xfc00) === 0xdc00 && (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800;
