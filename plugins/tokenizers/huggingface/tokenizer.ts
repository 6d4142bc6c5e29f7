import type { TokenizedText, Tokenizer } from '../../../core/contracts.ts';
import { createMemo } from './memo.ts';
import { createPipeline, type Pipeline, type Tokens } from './pipeline.ts';
import { forEachRawWord, hasRawWords, isolatesChinese } from './raw-words.ts';
import type { Library } from './stages.ts';
import { parseTokenizerFile } from './tokenizer-file.ts';
import { createWordCounts } from './word-counts.ts';

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

/** For tokenizers that read each word between white space by itself. */
function readByWords(pipeline: Pipeline, isolateChinese: boolean): Reader {
  const readWord = createMemo((word): Tokens => pipeline.read(word));
  const countWord = (word: string) => readWord(word).ends.length;
  const tokenize = (text: string): TokenizedText => ({
    count: createWordCounts(text, isolateChinese, countWord),
    ends() {
      const result: number[] = [];
      forEachRawWord(text, 0, text.length, isolateChinese, (from, to) => {
        for (const end of readWord(text.slice(from, to)).ends) result.push(from + end);
      });
      return settle(result, text);
    },
  });
  const encode = (text: string): Uint32Array => {
    const result: number[] = [];
    forEachRawWord(text, 0, text.length, isolateChinese, (from, to) => {
      const { ids } = readWord(text.slice(from, to));
      for (let index = 0; index < ids.length; index++) result.push(ids[index] as number);
    });
    return new Uint32Array(result);
  };
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
function settle(ends: readonly number[], text: string): Uint32Array {
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
