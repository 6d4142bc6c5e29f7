import { createRequire } from 'node:module';
import { RecursiveChunker, SentenceChunker, TokenChunker } from '@chonkiejs/core';
import {
  RecursiveCharacterTextSplitter,
  type TextSplitter,
  TokenTextSplitter,
} from '@langchain/textsplitters';
import * as gpt from 'gpt-tokenizer/encoding/cl100k_base';
import { Tiktoken } from 'js-tiktoken/lite';

const require = createRequire(import.meta.url);

/** A splitter of another library; it returns what it knows of its chunks, under the names of our answers. */
export interface Peer {
  readonly name: string;
  split(text: string): Promise<unknown[]>;
}

/** The peers of one of our chunkers, with one of our tokenizers. */
export type Peers = Readonly<Record<string, () => Promise<Peer[]>>>;

const SIZE = 512;

/** The tokenizer interface of chonkiejs, over the fastest tokenizer among the JavaScript peers. */
const gptTokenizer = {
  countTokens: (text: string) => gpt.countTokens(text),
  encode: (text: string) => gpt.encode(text),
  decode: (ids: number[]) => gpt.decode(ids),
  decodeBatch: (batch: number[][]) => batch.map((ids) => gpt.decode(ids)),
};

export const PEERS: Readonly<Record<string, Peers>> = {
  token: {
    character: async () => [await chonkie('Token', TokenChunker)],
    cl100k_base: async () => [
      await chonkie('Token', TokenChunker, true),
      langchain('TokenTextSplitter', tokenTextSplitter()),
    ],
  },
  sentence: {
    character: async () => [await chonkie('Sentence', SentenceChunker)],
    cl100k_base: async () => [await chonkie('Sentence', SentenceChunker, true)],
  },
  recursive: {
    character: async () => [
      await chonkie('Recursive', RecursiveChunker),
      langchain(
        'RecursiveCharacter',
        new RecursiveCharacterTextSplitter({ chunkSize: SIZE, chunkOverlap: 0 }),
      ),
    ],
    cl100k_base: async () => [
      await chonkie('Recursive', RecursiveChunker, true),
      langchain(
        'RecursiveCharacter, gpt-tokenizer',
        new RecursiveCharacterTextSplitter({
          chunkSize: SIZE,
          chunkOverlap: 0,
          lengthFunction: gpt.countTokens,
        }),
      ),
    ],
  },
};

interface ChonkieChunk {
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly tokenCount: number;
}

interface ChonkieClass {
  create(options: {
    chunkSize: number;
    tokenizer?: unknown;
  }): Promise<{ chunk(text: string): ChonkieChunk[] | Promise<ChonkieChunk[]> }>;
}

async function chonkie(name: string, type: unknown, withGpt = false): Promise<Peer> {
  const chunker = await (type as ChonkieClass).create({
    chunkSize: SIZE,
    ...(withGpt ? { tokenizer: gptTokenizer } : {}),
  });
  return {
    name: `chonkiejs ${name}${withGpt ? ', gpt-tokenizer' : ''}`,
    async split(text) {
      const chunks = await chunker.chunk(text);
      return chunks.map(({ text, startIndex, endIndex, tokenCount }) => ({
        text,
        start_index: startIndex,
        end_index: endIndex,
        token_count: tokenCount,
      }));
    },
  };
}

/** It knows neither offsets nor counts, so it returns none. */
function langchain(name: string, splitter: TextSplitter): Peer {
  return {
    name: `langchain ${name}`,
    split: async (text) => (await splitter.splitText(text)).map((text) => ({ text })),
  };
}

/** Its tokenizer is replaced, because the original fetches its ranks from the network. */
function tokenTextSplitter(): TokenTextSplitter {
  const splitter = new TokenTextSplitter({ chunkSize: SIZE, chunkOverlap: 0, encodingName: 'cl100k_base' });
  Object.assign(splitter, { tokenizer: new Tiktoken(require('js-tiktoken/ranks/cl100k_base')) });
  return splitter;
}
