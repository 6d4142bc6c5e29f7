import type { Factory, SharedBuffers, Tokenizer } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { encodingOfModel } from './model-names.ts';
import { createPieceEncoder } from './pieces/piece-encoder.ts';
import { createPieceTable } from './pieces/piece-table.ts';
import { CL100K, GPT2, O200K, type Pattern } from './scan/patterns.ts';
import { buildUnicodeClasses } from './scan/unicode-classes.ts';
import { createTokenizedText, type Encoding, encodeText } from './text/tokenized-text.ts';
import { readRankFile } from './vocabulary/rank-file.ts';
import { buildRanks, viewRanks } from './vocabulary/ranks.ts';

/** What determines an encoding's tokens. Encodings that differ only in special tokens share the ranks of one. */
interface EncodingSource {
  readonly pattern: Pattern;
  /** The encoding in the tiktoken package that has the ranks. */
  readonly ranks: string;
}

/** The encodings by name. */
const ENCODINGS: ReadonlyMap<string, EncodingSource> = new Map([
  ['gpt2', { pattern: GPT2, ranks: 'gpt2' }],
  ['r50k_base', { pattern: GPT2, ranks: 'r50k_base' }],
  ['p50k_base', { pattern: GPT2, ranks: 'p50k_base' }],
  ['p50k_edit', { pattern: GPT2, ranks: 'p50k_base' }],
  ['cl100k_base', { pattern: CL100K, ranks: 'cl100k_base' }],
  ['o200k_base', { pattern: O200K, ranks: 'o200k_base' }],
  ['o200k_harmony', { pattern: O200K, ranks: 'o200k_base' }],
]);

/**
 * Opens OpenAI's encodings by name, or by the name of a model that tiktoken knows, and reads nothing before that.
 * `open` rejects if the tiktoken package is missing, or has a different pattern from the one known here.
 */
const createTiktokenTokenizers: Factory<typeof manifest> = ({ shared }) => {
  const opened = new Map<string, Promise<Tokenizer>>();

  /** Keeps each encoding open, under whatever name it was requested. Failures are retried. */
  function openEncoding(name: string): Promise<Tokenizer> | undefined {
    const source = ENCODINGS.get(name);
    if (source === undefined) return undefined;
    const tokenizer = opened.get(name) ?? openTokenizer(name, source, shared);
    opened.set(name, tokenizer);
    tokenizer.catch(() => opened.delete(name));
    return tokenizer;
  }

  return {
    names: () => [...ENCODINGS.keys()],
    async open(name) {
      return openEncoding(name) ?? openEncoding((await encodingOfModel(name)) ?? '');
    },
  };
};

export default createTiktokenTokenizers;

async function openTokenizer(
  name: string,
  { pattern, ranks: ranksName }: EncodingSource,
  shared: SharedBuffers,
): Promise<Tokenizer> {
  const [classes, rankTable] = await Promise.all([
    shared.get('tiktoken/unicode-classes', buildUnicodeClasses),
    shared.get(`tiktoken/${ranksName}`, () => loadRanks(ranksName, pattern.source)),
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

async function loadRanks(name: string, pattern: string): Promise<SharedArrayBuffer> {
  const file = await readRankFile(name);
  if (file.pattern !== pattern)
    throw new Error(
      `The installed tiktoken package splits text for ${name} by a pattern that the tiktoken plugin does not ` +
        'know. Install the version of tiktoken that package.json names.',
    );
  return buildRanks(file.ranks);
}
