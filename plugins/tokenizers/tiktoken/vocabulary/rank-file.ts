import { readFile } from 'node:fs/promises';
import type { RankList } from './ranks.ts';

const LINE_MARK = 0x21;
const BLANK = 0x20;
const LINE_END = 0x0a;
const PADDING = 0x3d;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The content of the tiktoken package's file for an encoding. */
export interface RankFile {
  /** The pattern that cuts a text into pieces, in the notation of Rust's regular expressions. */
  readonly pattern: string;
  readonly ranks: RankList;
}

/** Reads `encoders/<name>.json` of the installed tiktoken package. Throws if it is missing or incomplete. */
export async function readRankFile(name: string): Promise<RankFile> {
  const url = new URL(import.meta.resolve(`tiktoken/encoders/${name}.json`));
  const { pat_str, bpe_ranks } = JSON.parse(await readFile(url, 'utf8')) as Record<string, unknown>;
  if (typeof pat_str !== 'string' || typeof bpe_ranks !== 'string')
    throw new Error(`The rank file of ${name} in the tiktoken package lacks pat_str or bpe_ranks.`);
  return { pattern: pat_str, ranks: parseRanks(bpe_ranks) };
}

/**
 * Reads lines of the form `! 256 IHQ= IGE=`: the rank of the first token, then tokens of rising rank in base64. Ranks
 * that no line names get an empty token.
 */
export function parseRanks(text: string): RankList {
  const source = Buffer.from(text, 'latin1');
  const tokenBytes = new Uint8Array(source.length);
  const tokenStarts: Uint32Array = new Uint32Array(maxRanks(text));
  let rank = 0;
  let filled = 0;
  let at = 0;
  while (at < source.length) {
    const wordEnd = endOfWord(source, at);
    if (source[at] === LINE_MARK) {
      const numberEnd = endOfWord(source, wordEnd + 1);
      const firstRank = Number(source.toString('latin1', wordEnd + 1, numberEnd));
      tokenStarts.fill(filled, rank, firstRank);
      rank = firstRank;
      at = numberEnd + 1;
      continue;
    }
    tokenStarts[rank] = filled;
    filled = decodeBase64(source, at, wordEnd, tokenBytes, filled);
    rank += 1;
    at = wordEnd + 1;
  }
  tokenStarts[rank] = filled;
  return { tokenStarts: tokenStarts.subarray(0, rank + 1), tokenBytes: tokenBytes.subarray(0, filled) };
}

/** An upper bound on the number of ranks: the last line's first rank, a token for every two characters, and the end. */
function maxRanks(text: string): number {
  const lastLine = text.slice(text.lastIndexOf('!') + 1).trimStart();
  return Number.parseInt(lastLine, 10) + Math.ceil(lastLine.length / 2) + 1;
}

function endOfWord(source: Uint8Array, start: number): number {
  let at = start;
  while (at < source.length && source[at] !== BLANK && source[at] !== LINE_END) at += 1;
  return at;
}

const digits = new Uint8Array(256);
for (let value = 0; value < ALPHABET.length; value += 1) digits[ALPHABET.charCodeAt(value)] = value;

function decodeBase64(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  from: number,
): number {
  let filled = from;
  let bits = 0;
  let held = 0;
  for (let at = start; at < end && source[at] !== PADDING; at += 1) {
    bits = ((bits << 6) | (digits[source[at] as number] as number)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    target[filled] = bits >> held;
    filled += 1;
  }
  return filled;
}
