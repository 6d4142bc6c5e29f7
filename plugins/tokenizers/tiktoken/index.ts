import type { SharedBuffers } from '../../../core/contracts/collaborators.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import type manifest from './manifest.ts';
import { createPieceEncoder } from './pieces/piece-encoder.ts';
import { createPieceTable } from './pieces/piece-table.ts';
import { CL100K, GPT2, O200K, type Pattern } from './scan/patterns.ts';
import { buildUnicodeClasses } from './scan/unicode-classes.ts';
import type { Encoding } from './text/encoding.ts';
import { createTokenizedText, encodeText } from './text/tokenized-text.ts';
import { readRankFile } from './vocabulary/rank-file.ts';
import { buildRanks, viewRanks } from './vocabulary/ranks.ts';

const patterns: ReadonlyMap<string, Pattern> = new Map([
  ['gpt2', GPT2],
  ['r50k_base', GPT2],
  ['p50k_base', GPT2],
  ['cl100k_base', CL100K],
  ['o200k_base', O200K],
]);

/**
 * Opens OpenAI's encodings by name, and reads nothing before that. `open` rejects if the tiktoken package is
 * missing, or states another pattern than the one known here.
 */
const createTiktokenTokenizers: Factory<typeof manifest> = ({ shared }) => ({
  names: () => [...patterns.keys()],
  async open(name) {
    const pattern = patterns.get(name);
    return pattern && openTokenizer(name, pattern, shared);
  },
});

export default createTiktokenTokenizers;

async function openTokenizer(name: string, pattern: Pattern, shared: SharedBuffers): Promise<Tokenizer> {
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
      `The installed tiktoken package splits text for ${name} by a pattern that the tiktoken plugin does not ` +
        'know. Install the version of tiktoken that package.json names.',
    );
  return buildRanks(file.ranks);
}
