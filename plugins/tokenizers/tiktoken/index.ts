import { readFile } from 'node:fs/promises';
import type { Factory, SharedBuffers, Tokenizer } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { CL100K, GPT2, O200K, type Pattern } from './patterns.ts';
import { createPieceEncoder, createPieceTable } from './pieces.ts';
import { buildRanks, readRankFile, viewRanks } from './ranks.ts';
import { createTokenizedText, type Encoding, encodeText } from './tokenized-text.ts';
import { buildUnicodeClasses } from './unicode-classes.ts';

interface EncodingSource {
  readonly pattern: Pattern;
  /** The file in the tiktoken package. Encodings that differ only in special tokens share a file. */
  readonly ranks: string;
}

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
 * Opens OpenAI's encodings by name, or by the name of a model that tiktoken knows. Nothing is read before
 * `open`. `open` rejects if the tiktoken package is missing, or if its file has an unknown pattern.
 */
const createTiktokenTokenizers: Factory<typeof manifest> = ({ shared }) => {
  const opened = new Map<string, Promise<Tokenizer>>();

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

/**
 * Encodings by prefixes of model names, from tiktoken for Python; the JavaScript package lacks them. Prefixes
 * cover versions that the package's table does not list.
 */
const PREFIXES: readonly (readonly [prefix: string, encoding: string])[] = [
  ['o1-', 'o200k_base'],
  ['o3-', 'o200k_base'],
  ['o4-mini-', 'o200k_base'],
  ['gpt-5-', 'o200k_base'],
  ['gpt-4.5-', 'o200k_base'],
  ['gpt-4.1-', 'o200k_base'],
  ['chatgpt-4o-', 'o200k_base'],
  ['gpt-4o-', 'o200k_base'],
  ['gpt-4-', 'cl100k_base'],
  ['gpt-3.5-turbo-', 'cl100k_base'],
  ['gpt-35-turbo-', 'cl100k_base'],
  ['gpt-oss-', 'o200k_harmony'],
  // Fine-tuned models; longer prefixes come first.
  ['ft:gpt-4o', 'o200k_base'],
  ['ft:gpt-4', 'cl100k_base'],
  ['ft:gpt-3.5-turbo', 'cl100k_base'],
  ['ft:davinci-002', 'cl100k_base'],
  ['ft:babbage-002', 'cl100k_base'],
];

async function encodingOfModel(name: string): Promise<string | undefined> {
  const url = new URL(import.meta.resolve('tiktoken/model_to_encoding.json'));
  const table = new Map<string, string>(Object.entries(JSON.parse(await readFile(url, 'utf8'))));
  return table.get(name) ?? PREFIXES.find(([prefix]) => name.startsWith(prefix))?.[1];
}
