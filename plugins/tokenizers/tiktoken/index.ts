import type { SharedBuffers, Tokenizer, TokenizerProvider } from '../../../core/contracts.ts';
import type { Encoding } from './encoding.ts';
import { CL100K, GPT2, O200K, type Pattern } from './patterns.ts';
import { createPieceEncoder } from './piece-encoder.ts';
import { createPieceTable } from './piece-table.ts';
import { readRankFile } from './rank-file.ts';
import { buildRanks, viewRanks } from './ranks.ts';
import { createTokenizedText, encodeText } from './tokenized-text.ts';
import { buildUnicodeClasses } from './unicode-classes.ts';

/** A tokenizer that can also say which tokens a text is made of. */
export interface TiktokenTokenizer extends Tokenizer {
  /** The ids of the text's tokens, as tiktoken's `encode_ordinary` gives them. */
  encode(text: string): Uint32Array;
}

export interface TiktokenProvider extends TokenizerProvider {
  /** Rejects where the tiktoken package is missing, or states another pattern than the one known here. */
  open(name: string): Promise<TiktokenTokenizer | undefined>;
}

const patterns: ReadonlyMap<string, Pattern> = new Map([
  ['gpt2', GPT2],
  ['r50k_base', GPT2],
  ['p50k_base', GPT2],
  ['cl100k_base', CL100K],
  ['o200k_base', O200K],
]);

/** Reads nothing before a tokenizer is opened; each is opened once. */
export default function createTiktoken({ shared }: { readonly shared: SharedBuffers }): TiktokenProvider {
  const opened = new Map<string, Promise<TiktokenTokenizer>>();

  return {
    names: () => [...patterns.keys()],

    async open(name) {
      const pattern = patterns.get(name);
      if (pattern === undefined) return undefined;
      let tokenizer = opened.get(name);
      if (tokenizer === undefined) {
        tokenizer = openTokenizer(name, pattern, shared);
        opened.set(name, tokenizer);
        tokenizer.catch(() => opened.delete(name));
      }
      return tokenizer;
    },
  };
}

async function openTokenizer(
  name: string,
  pattern: Pattern,
  shared: SharedBuffers,
): Promise<TiktokenTokenizer> {
  const [classes, rankTable] = await Promise.all([
    shared.get('tiktoken/unicode-classes', buildUnicodeClasses),
    shared.get(`tiktoken/${name}`, () => loadRanks(name, pattern)),
  ]);
  const ranks = viewRanks(rankTable);
  const encoding: Encoding = {
    scan: pattern.scan,
    classes: new Uint8Array(classes),
    ranks,
    table: createPieceTable(createPieceEncoder(ranks)),
  };
  return {
    name,
    tokenize: (text) => createTokenizedText(encoding, text),
    encode: (text) => encodeText(encoding, text),
  };
}

async function loadRanks(name: string, pattern: Pattern): Promise<SharedArrayBuffer> {
  const file = await readRankFile(name);
  if (file.pattern !== pattern.source)
    throw new Error(
      `The installed tiktoken package cuts ${name} by a pattern that the tiktoken plugin does not know. ` +
        'Install the version that package.json names.',
    );
  return buildRanks(file.ranks);
}
