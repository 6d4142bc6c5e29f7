/**
 * The vocabulary of an encoding: byte sequence to rank. A rank is also the token's id, and lower ones are merged
 * first. The tables are in one buffer that any number of threads may view.
 */
export type Ranks = Omit<Tables, 'slots' | 'reach'> & LookUp & ReturnType<typeof createCandidates>;

/** The token bytes in the order of their ranks, as in the rank file. */
export interface RankList {
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
}

const HEADER_WORDS = 4;
const SINGLES = 256;
const PAIRS = 65536;
const WORD = Int32Array.BYTES_PER_ELEMENT;
/** Maximum bytes of a token. */
const MAX_TOKEN_BYTES = 255;
/** Words of the bytes of the longest token for each pair of bytes that it begins with, four in each word. */
const REACH_WORDS = PAIRS / 4;

/** Builds the buffer of a vocabulary. Throws a RangeError if it has more tokens than a slot can name. */
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

/** The tables of a vocabulary, in the buffer that threads share. */
interface Tables {
  /** The rank of each single byte. */
  readonly singles: Int32Array;
  /** The rank of each pair of bytes, at `first * 256 + second`; -1 if that is not a token. */
  readonly pairs: Int32Array;
  /** Bytes of the longest token that begins with a pair of bytes, at the index of the pair. */
  readonly reach: Uint8Array;
  /** A hash table of the tokens. */
  readonly slots: Int32Array;
  /** Where each token's bytes begin in `tokenBytes`, by rank, and one more for the end of the last. */
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
  /** Bytes of the longest token. */
  readonly longest: number;
}

type LookUp = ReturnType<typeof createLookUp>;

function createLookUp({ slots, tokenStarts, tokenBytes, longest }: Tables) {
  const slotMask = slots.length - 1;

  /** The rank of `bytes[start, end)`, or -1 if that is not a token. */
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

  /** Whether the bytes of a token begin at `start`. */
  function isAt(rank: number, bytes: Uint8Array, start: number): boolean {
    const from = tokenStarts[rank] as number;
    const length = lengthOf(rank);
    let same = 0;
    while (same < length && tokenBytes[from + same] === bytes[start + same]) same += 1;
    return same === length;
  }

  /** Bytes of a token. */
  function lengthOf(rank: number): number {
    return (tokenStarts[rank + 1] as number) - (tokenStarts[rank] as number);
  }

  return { find, isAt, lengthOf };
}

function createCandidates({ slots, singles, reach }: Tables, { find, lengthOf }: LookUp) {
  const slotMask = slots.length - 1;

  /** The only token that bytes with a hash can be; if two have that hash, the matching one. -1 if there is none. */
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
   * Finds by their hashes the tokens that `bytes` may have from `start`, none beyond `end`; `isAt` says whether one is
   * really there. Writes their ranks to `found`, shortest first, and returns how many there are.
   *
   * @param found has room for one per byte of the longest token
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

/** A slot holds `rank + 1` in its lower bits and bits of the hash above them; 0 is an empty slot. */
const RANK_BITS = 18;
const RANK_MASK = (1 << RANK_BITS) - 1;

/** Whether a slot belongs to bytes with another hash. */
function isOther(slot: number, hash: number): boolean {
  return (slot ^ hash) >>> RANK_BITS !== 0;
}

/** Two bytes as one number. */
function pairAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index += 1) hash = hashByte(hash, bytes[index] as number);
  return hash;
}

/** The hash of bytes extended by one more. */
function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x5bd1e995) ^ (hash >>> 15);
}

/** The hash in the form used in slots. */
function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 13), 0x85ebca6b) ^ (hash >>> 16);
}
