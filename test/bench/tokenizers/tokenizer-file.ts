import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRankFile } from '../../../plugins/tokenizers/tiktoken/vocabulary/rank-file.ts';

/**
 * Writes an encoding of tiktoken as the `tokenizer.json` that libraries of the Hugging Face hub read. The
 * pair that makes each token is found by merging its bytes with the tokens of lower rank. The file lies
 * beside the installed packages, where git ignores it.
 */
export async function writeTokenizerFile(encoding: string): Promise<void> {
  if (existsSync(pathOf(encoding))) return;
  const { pattern, ranks } = await readRankFile(encoding);
  const { tokenStarts: starts, tokenBytes: bytes } = ranks;
  const latin = Buffer.from(bytes).toString('latin1');
  const tokens = Array.from({ length: starts.length - 1 }, (_, id) =>
    latin.slice(starts[id], starts[id + 1]),
  );
  const rankOf = new Map(tokens.flatMap((token, id) => (token === '' ? [] : [[token, id] as const])));
  const merges = tokens.flatMap((token, id) => (token.length < 2 ? [] : [pairOf(token, id, rankOf)]));
  const file = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab: Object.fromEntries([...rankOf].map(([token, id]) => [visible(token), id])),
      merges: merges.map((pair) => pair.map(visible)),
    },
  };
  writeFileSync(pathOf(encoding), JSON.stringify(file));
}

export function loadTokenizerFile(encoding: string): object {
  return JSON.parse(readFileSync(pathOf(encoding), 'utf8')) as object;
}

function pathOf(encoding: string): string {
  return join(import.meta.dirname, '..', 'node_modules', `.${encoding}.tokenizer.json`);
}

/** The two tokens whose merge gives a token. */
function pairOf(token: string, id: number, rankOf: ReadonlyMap<string, number>): [string, string] {
  const parts = Array.from(token);
  while (parts.length > 2) {
    let best = -1;
    let bestRank = id;
    for (let at = 0; at + 1 < parts.length; at++) {
      const rank = rankOf.get(`${parts[at]}${parts[at + 1]}`) ?? id;
      if (rank < bestRank) [best, bestRank] = [at, rank];
    }
    if (best === -1) throw new Error(`Token ${id} is not made of two others.`);
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
  }
  return parts as [string, string];
}

/** The letters that stand for bytes in byte-level vocabularies, so that every byte is visible. */
const LETTERS = byteLetters();

function visible(bytes: string): string {
  let letters = '';
  for (let at = 0; at < bytes.length; at++) letters += LETTERS[bytes.charCodeAt(at)];
  return letters;
}

function byteLetters(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCodePoint(isVisible ? byte : next++);
  });
}
