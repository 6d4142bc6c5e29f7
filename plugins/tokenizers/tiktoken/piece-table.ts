import type { PieceEncoder } from './piece-encoder.ts';

/**
 * Remembers how pieces are encoded, so that a piece that was seen before costs a look-up. It holds pieces of
 * users' texts, no more than its bounds allow, in about 6 MB of memory; when it is full it forgets them all.
 */
export interface PieceTable {
  /** The number of tokens of the piece `units[start, end)`. */
  count(units: Uint16Array, start: number, end: number): number;
  /** Writes the ids of the piece's tokens to `target` from `at` on, and returns how many they are. */
  write(units: Uint16Array, start: number, end: number, target: Uint32Array, at: number): number;
}

/** How much a table keeps before it starts anew. The longest piece that is kept must find room. */
export interface PieceTableBounds {
  /** Number of pieces, a power of two. */
  readonly pieces: number;
  /** Number of UTF-16 units of all pieces together. */
  readonly units: number;
  /** Number of tokens of all pieces together. */
  readonly tokens: number;
}

const BOUNDS: PieceTableBounds = { pieces: 1 << 16, units: 1 << 20, tokens: 1 << 18 };

/** Longer pieces are encoded anew each time. */
const LONGEST = 128;

const SLOT_WORDS = 4;
const UNITS = 1;
const LENGTHS = 2;
const IDS = 3;
/** The word `LENGTHS` holds the number of units in its lower bits and the number of tokens above. */
const LENGTH_BITS = 8;
const LENGTH_MASK = (1 << LENGTH_BITS) - 1;

export function createPieceTable(encode: PieceEncoder, bounds = BOUNDS): PieceTable {
  const slots = new Int32Array(2 * bounds.pieces * SLOT_WORDS);
  const slotMask = slots.length - 1;
  const keptUnits = new Uint16Array(bounds.units);
  const keptIds = new Uint32Array(bounds.tokens);
  let pieces = 0;
  let unitsEnd = 0;
  let idsEnd = 0;

  function locate(units: Uint16Array, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    for (let index = start; index < end; index += 1)
      hash = Math.imul(hash ^ (units[index] as number), 0x5bd1e995) ^ (hash >>> 15);
    hash ^= hash >>> 13;
    for (let slot = (hash * SLOT_WORDS) & slotMask; ; slot = (slot + SLOT_WORDS) & slotMask) {
      const lengths = slots[slot + LENGTHS] as number;
      if (lengths === 0) return keep(units, start, end, hash);
      if (slots[slot] !== hash || (lengths & LENGTH_MASK) !== length) continue;
      const from = slots[slot + UNITS] as number;
      let same = 0;
      while (same < length && keptUnits[from + same] === units[start + same]) same += 1;
      if (same === length) return slot;
    }
  }

  function keep(units: Uint16Array, start: number, end: number, hash: number): number {
    const ids = encode(units, start, end);
    const length = end - start;
    if (pieces === bounds.pieces || unitsEnd + length > bounds.units || idsEnd + ids.length > bounds.tokens)
      forget();
    let slot = (hash * SLOT_WORDS) & slotMask;
    while (slots[slot + LENGTHS] !== 0) slot = (slot + SLOT_WORDS) & slotMask;
    slots[slot] = hash;
    slots[slot + UNITS] = unitsEnd;
    slots[slot + LENGTHS] = (ids.length << LENGTH_BITS) | length;
    slots[slot + IDS] = idsEnd;
    keptUnits.set(units.subarray(start, end), unitsEnd);
    keptIds.set(ids, idsEnd);
    pieces += 1;
    unitsEnd += length;
    idsEnd += ids.length;
    return slot;
  }

  function forget(): void {
    slots.fill(0);
    keptUnits.fill(0, 0, unitsEnd);
    keptIds.fill(0, 0, idsEnd);
    pieces = 0;
    unitsEnd = 0;
    idsEnd = 0;
  }

  return {
    count(units, start, end) {
      if (end - start > LONGEST) return encode(units, start, end).length;
      return (slots[locate(units, start, end) + LENGTHS] as number) >>> LENGTH_BITS;
    },

    write(units, start, end, target, at) {
      if (end - start > LONGEST) {
        const ids = encode(units, start, end);
        target.set(ids, at);
        return ids.length;
      }
      const slot = locate(units, start, end);
      const count = (slots[slot + LENGTHS] as number) >>> LENGTH_BITS;
      const from = slots[slot + IDS] as number;
      for (let token = 0; token < count; token += 1) target[at + token] = keptIds[from + token] as number;
      return count;
    },
  };
}
