import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RecursiveChunker, SentenceChunker, TokenChunker } from '@chonkiejs/core';
import {
  MarkdownTextSplitter,
  RecursiveCharacterTextSplitter,
  type TextSplitter,
} from '@langchain/textsplitters';
import {
  MarkdownNodeParser,
  type NodeParser,
  SentenceSplitter,
  TokenTextSplitter,
} from '@llamaindex/core/node-parser';
import { Document } from '@llamaindex/core/schema';
import { get_encoding } from 'tiktoken';
import type { AnswerChunk } from '../../support/service.ts';
import { tokenTextSplitter } from '../chunkers/peers.ts';
import { PYTHON } from '../embeddings/peers.ts';
import { composeOurs } from '../race/ours.ts';

/** A chunk, with what its splitter says of it: offsets in UTF-16 units, NaN where it does not find its own. */
export interface Piece {
  readonly text: string;
  readonly start?: number;
  readonly end?: number;
  readonly count?: number;
}

export interface Splitter {
  readonly name: string;
  /** Whether it takes no limit. */
  readonly isUnlimited?: boolean;
  split(text: string): Promise<readonly Piece[]> | readonly Piece[];
}

export const SIZE = 256;
const ENCODING = 'cl100k_base';
const tiktoken = get_encoding(ENCODING);
const require = createRequire(import.meta.url);

export const countTokens = (text: string): number => tiktoken.encode_ordinary(text).length;
const decode = (ids: ArrayLike<number>) => new TextDecoder().decode(tiktoken.decode(Uint32Array.from(ids)));

/** All that split here with the same size and tokenizer, without an overlap, and otherwise as they come. */
export async function openSplitters(texts: readonly string[]): Promise<Splitter[]> {
  return [...(await ours()), ...(await chonkie()), ...langchain(), ...llamaindex(), ...python(texts)];
}

async function ours(): Promise<Splitter[]> {
  const service = await composeOurs();
  const options = { tokenizer: ENCODING, chunk_size: SIZE, offset_unit: 'utf16' };
  return ['token', 'sentence', 'recursive', 'markdown'].map((name) => ({
    name: `chunksmith ${name}`,
    async split(text) {
      const body = Buffer.from(JSON.stringify({ text, ...options }));
      const bytes = await service.answer({ run: 'chunk', name }, body);
      const chunks = JSON.parse(Buffer.from(bytes).toString()) as AnswerChunk[];
      return chunks.map(({ text, start_index: start, end_index: end, token_count: count }) => ({
        text,
        start,
        end,
        count,
      }));
    },
  }));
}

async function chonkie(): Promise<Splitter[]> {
  const encode = (text: string) => [...tiktoken.encode_ordinary(text)];
  const decodeBatch = (batch: number[][]) => batch.map(decode);
  const options = { chunkSize: SIZE, tokenizer: { countTokens, encode, decode, decodeBatch } as never };
  const chunkers = {
    Token: await TokenChunker.create(options),
    Sentence: await SentenceChunker.create(options),
    Recursive: await RecursiveChunker.create(options),
  };
  return Object.entries(chunkers).map(([name, chunker]) => ({
    name: `chonkiejs ${name}`,
    async split(text) {
      const chunks = await chunker.chunk(text);
      return chunks.map(({ text, startIndex: start, endIndex: end, tokenCount: count }) => ({
        text,
        start,
        end,
        count,
      }));
    },
  }));
}

function langchain(): Splitter[] {
  const options = { chunkSize: SIZE, chunkOverlap: 0, lengthFunction: countTokens };
  const splitters: Record<string, TextSplitter> = {
    Token: tokenTextSplitter(SIZE),
    RecursiveCharacter: new RecursiveCharacterTextSplitter(options),
    Markdown: new MarkdownTextSplitter(options),
  };
  return Object.entries(splitters).map(([name, splitter]) => ({
    name: `langchain ${name}`,
    split: async (text) => (await splitter.splitText(text)).map((text) => ({ text })),
  }));
}

function llamaindex(): Splitter[] {
  const tokenizer = { encode: (text: string) => tiktoken.encode_ordinary(text), decode };
  const options = { chunkSize: SIZE, chunkOverlap: 0, tokenizer };
  const parsers = {
    TokenText: new TokenTextSplitter(options),
    Sentence: new SentenceSplitter(options),
    Markdown: new MarkdownNodeParser(),
  };
  return Object.entries(parsers).map(([name, parser]) => ({
    name: `llamaindex ${name}`,
    isUnlimited: name === 'Markdown',
    async split(text) {
      const nodes = await (parser as NodeParser).getNodesFromDocuments([new Document({ text })]);
      return nodes.map(({ text, startCharIdx: start = Number.NaN, endCharIdx: end = Number.NaN }) => ({
        text,
        start,
        end,
      }));
    },
  }));
}

/** Splitters of Python, if it has them; they split all texts at once. */
function python(texts: readonly string[]): Splitter[] {
  const tables = require.resolve('tiktoken/encoders/cl100k_base.json');
  const args = [join(import.meta.dirname, 'python.py'), tables, String(SIZE)];
  const { status, stdout } = spawnSync(PYTHON, args, { input: JSON.stringify(texts), maxBuffer: 1 << 30 });
  if (status !== 0) {
    console.log(
      'No rows of Python: pip install langchain-text-splitters tiktoken; BENCH_PYTHON names its program.\n',
    );
    return [];
  }
  const { version, splitters } = JSON.parse(stdout.toString()) as {
    readonly version: string;
    readonly splitters: Readonly<Record<string, readonly (readonly [string, number])[][]>>;
  };
  return Object.entries(splitters).map(([name, lists]) => ({
    name: `langchain-text-splitters (Python) ${version} ${name}`,
    split: (text) =>
      (lists[texts.indexOf(text)] ?? []).map(([text, start]) => ({ text, start, end: start + text.length })),
  }));
}
