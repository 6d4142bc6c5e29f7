import { readFile } from 'node:fs/promises';

/**
 * The vocabulary of an encoding: ranks by byte sequence. A rank is also the token's id, and lower ranks are
 * merged first. Threads share the buffer of the tables.
 */
export type Ranks = Omit<Tables, 'slots' | 'reach'> & LookUp & ReturnType<typeof createCandidates>;

export interface RankList {
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
}

const HEADER_WORDS = 4;
const SINGLES = 256;
const PAIRS = 65536;
const WORD = Int32Array.BYTES_PER_ELEMENT;
const MAX_TOKEN_BYTES = 255;
const REACH_WORDS = PAIRS / 4;

/** Builds the buffer of a vocabulary. Throws a RangeError if a token or rank exceeds a table's limit. */
export function buildRanks({ tokenStarts, tokenBytes }: RankList): SharedArrayBuffer {
  const tokens = tokenStarts.length - 1;
  if (tokens >= RANK_MASK) throw new RangeError(`${tokens} tokens are more than the rank table can hold.`);
  const longest = longestToken(tokenStarts);
  if (longest > MAX_TOKEN_BYTES)
    throw new RangeError(`A token of ${longest} bytes is longer than the rank table can hold.`);
  const slots = 2 ** Math.ceil(Math.log2(2 * tokens));
  const words = HEADER_WORDS + SINGLES + PAIRS + REACH_WORDS + slots + tokenStarts.length;
  const buffer = new SharedArrayBuffer(words * WORD + tokenBytes.length);
  const header = new Int32Array(buffer, 0, HEADER_WORDS);
  header.set([slots, tokenStarts.length, tokenBytes.length, longest]);
  const view = layOut(buffer);
  view.tokenStarts.set(tokenStarts);
  view.tokenBytes.set(tokenBytes);
  view.singles.fill(-1);
  view.pairs.fill(-1);
  for (let rank = 0; rank < tokens; rank += 1) insert(view, rank);
  return buffer;
}

export function viewRanks(buffer: SharedArrayBuffer): Ranks {
  const tables = layOut(buffer);
  const lookUp = createLookUp(tables);
  const { singles, pairs, tokenStarts, tokenBytes, longest } = tables;
  const candidates = createCandidates(tables, lookUp);
  return { ...lookUp, ...candidates, singles, pairs, tokenStarts, tokenBytes, longest };
}

function layOut(buffer: SharedArrayBuffer): Tables {
  const header = new Int32Array(buffer, 0, HEADER_WORDS);
  const [slotCount, startCount, byteCount, longest] = header as unknown as [number, number, number, number];
  let offset = HEADER_WORDS * WORD;
  const take = (words: number) => {
    const from = offset;
    offset += words * WORD;
    return from;
  };
  return {
    longest,
    singles: new Int32Array(buffer, take(SINGLES), SINGLES),
    pairs: new Int32Array(buffer, take(PAIRS), PAIRS),
    reach: new Uint8Array(buffer, take(REACH_WORDS), PAIRS),
    slots: new Int32Array(buffer, take(slotCount), slotCount),
    tokenStarts: new Uint32Array(buffer, take(startCount), startCount),
    tokenBytes: new Uint8Array(buffer, offset, byteCount),
  };
}

function insert({ slots, singles, pairs, reach, tokenStarts, tokenBytes }: Tables, rank: number): void {
  const start = tokenStarts[rank] as number;
  const end = tokenStarts[rank + 1] as number;
  if (start === end) return;
  const first = tokenBytes[start] as number;
  if (end - start === 1) singles[first] = rank;
  if (end - start > 1) {
    const pair = pairAt(tokenBytes, start);
    if (end - start === 2) pairs[pair] = rank;
    reach[pair] = Math.max(reach[pair] as number, end - start);
  }
  const hash = mixed(hashBytes(tokenBytes, start, end));
  const slotMask = slots.length - 1;
  let at = hash & slotMask;
  while (slots[at] !== 0) at = (at + 1) & slotMask;
  slots[at] = (hash & ~RANK_MASK) | (rank + 1);
}

function longestToken(tokenStarts: Uint32Array): number {
  let longest = 0;
  for (let rank = 1; rank < tokenStarts.length; rank += 1)
    longest = Math.max(longest, (tokenStarts[rank] as number) - (tokenStarts[rank - 1] as number));
  return longest;
}

interface Tables {
  readonly singles: Int32Array;
  /** The rank of each pair of bytes, at `first * 256 + second`; -1 if the pair is not a token. */
  readonly pairs: Int32Array;
  /** Bytes of the longest token that begins with two given bytes. The index is the same as in `pairs`. */
  readonly reach: Uint8Array;
  readonly slots: Int32Array;
  /** The start of each token in `tokenBytes`, by rank, then the end of the last token. */
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
  readonly longest: number;
}

type LookUp = ReturnType<typeof createLookUp>;

function createLookUp({ slots, tokenStarts, tokenBytes, longest }: Tables) {
  const slotMask = slots.length - 1;

  /** The rank of `bytes[start, end)`; -1 if it is not a token. */
  function find(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > longest) return -1;
    const hash = mixed(hashBytes(bytes, start, end));
    for (let at = hash & slotMask; ; at = (at + 1) & slotMask) {
      const slot = slots[at] as number;
      if (slot === 0) return -1;
      if (isOther(slot, hash)) continue;
      const rank = (slot & RANK_MASK) - 1;
      if (lengthOf(rank) === length && isAt(rank, bytes, start)) return rank;
    }
  }

  function isAt(rank: number, bytes: Uint8Array, start: number): boolean {
    const from = tokenStarts[rank] as number;
    const length = lengthOf(rank);
    let same = 0;
    while (same < length && tokenBytes[from + same] === bytes[start + same]) same += 1;
    return same === length;
  }

  function lengthOf(rank: number): number {
    return (tokenStarts[rank + 1] as number) - (tokenStarts[rank] as number);
  }

  return { find, isAt, lengthOf };
}

function createCandidates({ slots, singles, reach }: Tables, { find, lengthOf }: LookUp) {
  const slotMask = slots.length - 1;

  /** The only token whose hash matches; if several match, the one with these bytes; -1 if there is none. */
  function candidate(bytes: Uint8Array, start: number, end: number, hash: number): number {
    let rank = -1;
    for (let at = hash & slotMask; slots[at] !== 0; at = (at + 1) & slotMask) {
      const slot = slots[at] as number;
      if (isOther(slot, hash)) continue;
      if (rank >= 0) return find(bytes, start, end);
      rank = (slot & RANK_MASK) - 1;
    }
    return rank;
  }

  /**
   * Finds tokens that may begin at `start` and end by `end`. Only hashes are compared, so a token must be
   * verified with `isAt`. Writes the ranks to `found`, shortest token first, and returns their number.
   *
   * @param found has room for one rank per byte of the longest token
   */
  function candidatesAt(bytes: Uint8Array, start: number, end: number, found: Int32Array): number {
    found[0] = singles[bytes[start] as number] as number;
    let count = 1;
    if (start + 1 === end) return count;
    const most = Math.min(end, start + (reach[pairAt(bytes, start)] as number));
    let hash = hashByte(0, bytes[start] as number);
    for (let to = start + 1; to < most; to += 1) {
      hash = hashByte(hash, bytes[to] as number);
      const rank = candidate(bytes, start, to + 1, mixed(hash));
      if (rank >= 0 && lengthOf(rank) === to + 1 - start) found[count++] = rank;
    }
    return count;
  }

  return { candidatesAt };
}

/** A slot has `rank + 1` in its lower bits and bits of the hash in its upper bits. An empty slot is 0. */
const RANK_BITS = 18;
const RANK_MASK = (1 << RANK_BITS) - 1;

function isOther(slot: number, hash: number): boolean {
  return (slot ^ hash) >>> RANK_BITS !== 0;
}

function pairAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index += 1) hash = hashByte(hash, bytes[index] as number);
  return hash;
}

function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x5bd1e995) ^ (hash >>> 15);
}

function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 13), 0x85ebca6b) ^ (hash >>> 16);
}

const EXCLAMATION_MARK = 0x21;
const BLANK = 0x20;
const LINE_END = 0x0a;
const PADDING = 0x3d;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

interface RankFile {
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
 * Reads lines such as `! 256 IHQ= IGE=`: the rank of the first token, then tokens of ascending rank in
 * base64. Missing ranks get an empty token.
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
    if (source[at] === EXCLAMATION_MARK) {
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
