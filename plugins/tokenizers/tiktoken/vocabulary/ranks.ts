import { type Candidates, createCandidates, createLookUp, type LookUp, type Tables } from './look-up.ts';
import { hashBytes, mixed, pairAt, RANK_MASK } from './slots.ts';

/**
 * The vocabulary of an encoding: byte sequence to rank. A rank is also the token's id, and the lower one is
 * merged first. The tables lie in one buffer that any number of threads may view.
 */
export type Ranks = Omit<Tables, 'slots' | 'reach'> & LookUp & Candidates;

/** The token bytes in the order of their ranks, as they stand in the rank file. */
export interface RankList {
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
}

const HEADER_WORDS = 4;
const SINGLES = 256;
const PAIRS = 65536;
const WORD = Int32Array.BYTES_PER_ELEMENT;
/** Most bytes of a token. */
const LONGEST = 255;
/** Words of the bytes of the longest token for each pair of bytes that it begins with, four in each word. */
const REACH_WORDS = PAIRS / 4;

/** Builds the buffer of a vocabulary. Throws a RangeError if it has more tokens than a slot can name. */
export function buildRanks({ tokenStarts, tokenBytes }: RankList): SharedArrayBuffer {
  const tokens = tokenStarts.length - 1;
  if (tokens >= RANK_MASK) throw new RangeError(`${tokens} tokens are more than the rank table can hold.`);
  const longest = longestToken(tokenStarts);
  if (longest > LONGEST)
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

/** Views a buffer that `buildRanks` made. */
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
