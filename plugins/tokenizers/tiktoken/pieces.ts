import { createLongMerge, createShortMerge } from './merge.ts';
import { afterCodePoint, codePointAt } from './patterns.ts';
import type { Ranks } from './ranks.ts';

/** Maximum bytes of a piece for the short merge. Longer pieces take the long merge. */
const SHORT = 192;
/** UTF-8 takes at most three bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Encodes the piece `units[start, end)` of a text. The ids are valid until the next call. */
type PieceEncoder = (units: Uint16Array, start: number, end: number) => Uint32Array;

export function createPieceEncoder(ranks: Ranks): PieceEncoder {
  const shortBytes = new Uint8Array(SHORT);
  const shortIds = new Uint32Array(SHORT);
  const mergeShort = createShortMerge(ranks, SHORT);
  const mergeLong = createLongMerge(ranks);

  return (units, start, end) => {
    const maxBytes = (end - start) * BYTES_PER_UNIT;
    const isShort = maxBytes <= SHORT;
    const bytes = isShort ? shortBytes : new Uint8Array(maxBytes);
    const length = writeUtf8(units, start, end, bytes);
    const whole = ranks.find(bytes, 0, length);
    if (whole >= 0) {
      shortIds[0] = whole;
      return shortIds.subarray(0, 1);
    }
    const ids = isShort ? shortIds : new Uint32Array(length);
    const merge = isShort ? mergeShort : mergeLong;
    return ids.subarray(0, merge(bytes, length, ids));
  };
}

/** Writes `units[start, end)` to `bytes`, with U+FFFD for lone surrogates. Returns the number of bytes. */
function writeUtf8(units: Uint16Array, start: number, end: number, bytes: Uint8Array): number {
  let filled = 0;
  for (let at = start; at < end; ) {
    const unit = units[at] as number;
    if (unit < 0x80) {
      bytes[filled] = unit;
      filled += 1;
      at += 1;
      continue;
    }
    filled = writeCodePoint(codePointAt(units, at, end), bytes, filled);
    at = afterCodePoint(units, at, end);
  }
  return filled;
}

function writeCodePoint(codePoint: number, bytes: Uint8Array, from: number): number {
  let at = from;
  if (codePoint < 0x800) bytes[at++] = 0xc0 | (codePoint >> 6);
  else {
    if (codePoint < 0x10000) bytes[at++] = 0xe0 | (codePoint >> 12);
    else {
      bytes[at++] = 0xf0 | (codePoint >> 18);
      bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (codePoint & 0x3f);
  return at;
}

/** A table is emptied at one of these limits: pieces (a power of two), their UTF-16 units, their tokens. */
const BOUNDS = { pieces: 1 << 16, units: 1 << 20, tokens: 1 << 18 };

/** Longer pieces are not cached. */
const MAX_LENGTH = 128;

const SLOT_WORDS = 4;
const UNITS = 1;
const LENGTHS = 2;
const IDS = 3;
/** The word `LENGTHS` has the number of units in its lower bits, the number of tokens in its upper bits. */
const LENGTH_BITS = 8;
const LENGTH_MASK = (1 << LENGTH_BITS) - 1;

/** Caches tokens in about 6 MB. A full table drops all pieces, so that users' texts are not kept for long. */
export interface PieceTable {
  count(units: Uint16Array, start: number, end: number): number;
  /** Writes the token ids of a piece to `target` from `at` on. Returns the number of ids. */
  write(units: Uint16Array, start: number, end: number, target: Uint32Array, at: number): number;
}

export function createPieceTable(encode: PieceEncoder, bounds = BOUNDS): PieceTable {
  const kept = new KeptPieces(encode, bounds);
  const { slots, units: keptUnits, ids: keptIds } = kept;
  const slotMask = slots.length - 1;

  function locate(units: Uint16Array, start: number, end: number): number {
    const length = end - start;
    const hash = hashUnits(units, start, end);
    for (let slot = (hash * SLOT_WORDS) & slotMask; ; slot = (slot + SLOT_WORDS) & slotMask) {
      const lengths = slots[slot + LENGTHS] as number;
      if (lengths === 0) return kept.add(units, start, end, hash);
      if (slots[slot] !== hash || (lengths & LENGTH_MASK) !== length) continue;
      if (holds(keptUnits, slots[slot + UNITS] as number, units, start, length)) return slot;
    }
  }

  return {
    count(units, start, end) {
      if (end - start > MAX_LENGTH) return encode(units, start, end).length;
      return (slots[locate(units, start, end) + LENGTHS] as number) >>> LENGTH_BITS;
    },

    write(units, start, end, target, at) {
      if (end - start > MAX_LENGTH) {
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

class KeptPieces {
  readonly slots: Int32Array;
  readonly units: Uint16Array;
  readonly ids: Uint32Array;
  readonly #encode: PieceEncoder;
  readonly #maxPieces: number;
  #pieces = 0;
  #unitsEnd = 0;
  #idsEnd = 0;

  constructor(encode: PieceEncoder, bounds: typeof BOUNDS) {
    this.#encode = encode;
    this.#maxPieces = bounds.pieces;
    this.slots = new Int32Array(2 * bounds.pieces * SLOT_WORDS);
    this.units = new Uint16Array(bounds.units);
    this.ids = new Uint32Array(bounds.tokens);
  }

  add(units: Uint16Array, start: number, end: number, hash: number): number {
    const ids = this.#encode(units, start, end);
    const length = end - start;
    if (!this.#hasRoomFor(length, ids.length)) this.#forget();
    const slotMask = this.slots.length - 1;
    let slot = (hash * SLOT_WORDS) & slotMask;
    while (this.slots[slot + LENGTHS] !== 0) slot = (slot + SLOT_WORDS) & slotMask;
    this.slots[slot] = hash;
    this.slots[slot + UNITS] = this.#unitsEnd;
    this.slots[slot + LENGTHS] = (ids.length << LENGTH_BITS) | length;
    this.slots[slot + IDS] = this.#idsEnd;
    this.units.set(units.subarray(start, end), this.#unitsEnd);
    this.ids.set(ids, this.#idsEnd);
    this.#pieces += 1;
    this.#unitsEnd += length;
    this.#idsEnd += ids.length;
    return slot;
  }

  #hasRoomFor(units: number, tokens: number): boolean {
    return (
      this.#pieces < this.#maxPieces &&
      this.#unitsEnd + units <= this.units.length &&
      this.#idsEnd + tokens <= this.ids.length
    );
  }

  #forget(): void {
    this.slots.fill(0);
    this.units.fill(0, 0, this.#unitsEnd);
    this.ids.fill(0, 0, this.#idsEnd);
    this.#pieces = 0;
    this.#unitsEnd = 0;
    this.#idsEnd = 0;
  }
}

function hashUnits(units: Uint16Array, start: number, end: number): number {
  let hash = end - start;
  for (let index = start; index < end; index += 1)
    hash = Math.imul(hash ^ (units[index] as number), 0x5bd1e995) ^ (hash >>> 15);
  return hash ^ (hash >>> 13);
}

function holds(kept: Uint16Array, from: number, units: Uint16Array, start: number, length: number): boolean {
  let same = 0;
  while (same < length && kept[from + same] === units[start + same]) same += 1;
  return same === length;
}
