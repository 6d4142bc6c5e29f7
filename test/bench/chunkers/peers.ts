import { createRequire } from 'node:module';
import { RecursiveChunker, SentenceChunker, TokenChunker } from '@chonkiejs/core';
import {
  RecursiveCharacterTextSplitter,
  type TextSplitter,
  TokenTextSplitter,
} from '@langchain/textsplitters';
import { Tiktoken } from 'js-tiktoken/lite';
import { chonkie, countTokens, gptTokenizer, type Peer } from '../race/peers.ts';

const require = createRequire(import.meta.url);

/** The peers of one of our chunkers, with one of our tokenizers. */
export type Peers = Readonly<Record<string, () => Promise<Peer[]>>>;

const SIZE = 512;
const SIZES = { chunkSize: SIZE, chunkOverlap: 0 };

export const PEERS: Readonly<Record<string, Peers>> = {
  token: {
    character: async () => [await ofChonkie('Token', TokenChunker)],
    cl100k_base: async () => [
      await ofChonkie('Token', TokenChunker, true),
      langchain('TokenTextSplitter', tokenTextSplitter(SIZE)),
    ],
  },
  sentence: {
    character: async () => [await ofChonkie('Sentence', SentenceChunker)],
    cl100k_base: async () => [await ofChonkie('Sentence', SentenceChunker, true)],
  },
  recursive: {
    character: async () => [
      await ofChonkie('Recursive', RecursiveChunker),
      langchain('RecursiveCharacter', new RecursiveCharacterTextSplitter(SIZES)),
    ],
    cl100k_base: async () => [
      await ofChonkie('Recursive', RecursiveChunker, true),
      langchain(
        'RecursiveCharacter, gpt-tokenizer',
        new RecursiveCharacterTextSplitter({ ...SIZES, lengthFunction: countTokens }),
      ),
    ],
  },
};

async function ofChonkie(name: string, type: unknown, withGpt = false): Promise<Peer> {
  const options = { chunkSize: SIZE, ...(withGpt && { tokenizer: gptTokenizer }) };
  const chunker = await (type as typeof TokenChunker).create(options as never);
  return chonkie(`${name}${withGpt ? ', gpt-tokenizer' : ''}`, chunker);
}

/** It knows neither offsets nor counts, so it returns none. */
function langchain(name: string, splitter: TextSplitter): Peer {
  return {
    name: `langchain ${name}`,
    split: async (text) => (await splitter.splitText(text)).map((text) => ({ text })),
  };
}

/** Its tokenizer is replaced, because the original fetches its ranks from the network. */
export function tokenTextSplitter(chunkSize: number): TokenTextSplitter {
  const splitter = new TokenTextSplitter({ chunkSize, chunkOverlap: 0, encodingName: 'cl100k_base' });
  Object.assign(splitter, { tokenizer: new Tiktoken(require('js-tiktoken/ranks/cl100k_base')) });
  return splitter;
}
