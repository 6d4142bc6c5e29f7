import { hashByte, hashBytes, isOther, mixed, pairAt, RANK_MASK } from './slots.ts';

/** The tables of a vocabulary, in the buffer that threads share. */
export interface Tables {
  /** The rank of each single byte. */
  readonly singles: Int32Array;
  /** The rank of each pair of bytes, at `first * 256 + second`; -1 if that is no token. */
  readonly pairs: Int32Array;
  /** Bytes of the longest token that begins with a pair of bytes, at the place of the pair. */
  readonly reach: Uint8Array;
  /** A hash table of the tokens. */
  readonly slots: Int32Array;
  /** Where each token's bytes begin in `tokenBytes`, by rank, and one more for the end of the last. */
  readonly tokenStarts: Uint32Array;
  readonly tokenBytes: Uint8Array;
  /** Bytes of the longest token. */
  readonly longest: number;
}

export interface LookUp {
  /** The rank of `bytes[start, end)`, or -1 if that is no token. */
  find(bytes: Uint8Array, start: number, end: number): number;
  /** Whether the bytes of a token begin at `start`. */
  isAt(rank: number, bytes: Uint8Array, start: number): boolean;
  /** Bytes of a token. */
  lengthOf(rank: number): number;
}

export interface Candidates {
  /**
   * Finds the tokens that `bytes` can have at `start` by their hashes, none beyond `end`: each is one if `isAt` says so, and
   * there are no others. Writes their ranks to `found`, the shortest first, and returns how many there are.
   *
   * @param found has a place for each byte of the longest token
   */
  candidatesAt(bytes: Uint8Array, start: number, end: number, found: Int32Array): number;
}

export function createLookUp({ slots, tokenStarts, tokenBytes, longest }: Tables): LookUp {
  const slotMask = slots.length - 1;

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

export function createCandidates({ slots, singles, reach }: Tables, { find, lengthOf }: LookUp): Candidates {
  const slotMask = slots.length - 1;

  /** The one token that bytes of a hash can be; if two have that hash, the one that they are. -1 if there is none. */
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
