import { globSync, readFileSync } from 'node:fs';
import { get_encoding } from 'tiktoken';
import type { SharedBuffers } from '../../../../../core/contracts/collaborators.ts';
import type { Tokenizer, TokenizerProvider } from '../../../../../core/contracts/tokenizer.ts';
import createTiktokenTokenizers from '../../../../../plugins/tokenizers/tiktoken/index.ts';
import { ownBuffers } from '../../../../../server/engine/run/shared-buffers.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';

const WITH_TABLES = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base'] as const;
export const ENCODINGS = [...WITH_TABLES, 'o200k_harmony'] as const;

export type EncodingName = (typeof ENCODINGS)[number];

/** Special tokens of o200k_harmony, which the package lacks: it is o200k_base with more of them. */
const HARMONY = {
  '<|startoftext|>': 199998,
  '<|return|>': 200002,
  '<|constrain|>': 200003,
  '<|channel|>': 200005,
  '<|start|>': 200006,
  '<|end|>': 200007,
  '<|message|>': 200008,
  '<|call|>': 200012,
};

export const createProvider = async (shared: SharedBuffers = ownBuffers): Promise<TokenizerProvider> =>
  createTiktokenTokenizers(collaborators({ shared }));

/** One for all tests of a process, since its tables are large. */
const provider = createProvider();

export async function openTokenizer(name: string): Promise<Required<Pick<Tokenizer, 'tokenize' | 'encode'>>> {
  const tokenizer = await (await provider).open(name);
  if (tokenizer?.encode === undefined) throw new Error(`There is no tokenizer ${name} with ids.`);
  return { tokenize: tokenizer.tokenize, encode: tokenizer.encode };
}

/** tiktoken itself, which says what is right. */
export function openOracle(name: EncodingName) {
  const encoding = name === 'o200k_harmony' ? get_encoding('o200k_base', HARMONY) : get_encoding(name);
  const lengths = new Map<number, number>();
  return {
    encode: (text: string) => encoding.encode_ordinary(text),
    count: (text: string) => encoding.encode_ordinary(text).length,
    tokenLength(id: number): number {
      const known = lengths.get(id) ?? encoding.decode_single_token_bytes(id).length;
      lengths.set(id, known);
      return known;
    },
    free: () => encoding.free(),
  };
}

export type Oracle = ReturnType<typeof openOracle>;

/** Where each token ends, from the bytes of the tokens and of the text's code points. */
export function endsByBytes(text: string, ids: Uint32Array, oracle: Oracle): number[] {
  const ends: number[] = [];
  let at = 0;
  let bytesRead = 0;
  let bytesTaken = 0;
  for (const id of ids) {
    bytesTaken += oracle.tokenLength(id);
    while (bytesRead < bytesTaken) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      bytesRead += Buffer.byteLength(character);
      at += character.length;
    }
    ends.push(at);
  }
  return ends;
}

/** Some of this project's own sources and documents. */
export function readTexts(): Map<string, string> {
  const root = new URL('../../../../../', import.meta.url).pathname;
  const sources = ['*.md', 'plugins/tokenizers/**/*.{ts,md}', 'test/plugins/tokenizers/**/*.ts'];
  const paths = globSync(sources, { cwd: root });
  return new Map(paths.sort().map((path) => [path, readFileSync(`${root}${path}`, 'utf8')]));
}
