import { countCodePoints, splitsCodePoint } from '../../../../core/kit.ts';
import { withRoomFor } from '../words/word-tokens.ts';
import { WordBuilder, type WordModel } from './word.ts';

export interface WordPieceConfig {
  readonly type: 'WordPiece';
  readonly vocabulary: Vocabulary;
  readonly unknownToken: string | undefined;
  readonly prefix: string;
  readonly maxCharacters: number;
  readonly fusesUnknown: boolean;
}

/** Reads a word from the left, taking the longest token each time. Without a match, the word is unknown. */
export function createWordPiece(config: WordPieceConfig): WordModel {
  const { vocabulary, unknownToken, maxCharacters, fusesUnknown } = config;
  const unknownId = unknownToken === undefined ? undefined : vocabulary.idOf(unknownToken);
  const atStart = prefixOf('');
  const inside = prefixOf(config.prefix);

  function match(word: string, tokens: WordBuilder): number {
    let start = 0;
    while (start < word.length) {
      const prefix = start === 0 ? atStart : inside;
      const index = vocabulary.longest(word, start, prefix);
      if (index === -1) break;
      const id = vocabulary.ids[index];
      const isUnknown = start === 0 && id === unknownId;
      start += vocabulary.lengthOf(index) - prefix.text.length;
      tokens.add(start, id, isUnknown);
    }
    return start;
  }

  function unknown(word: string): WordBuilder {
    const tokens = new WordBuilder(fusesUnknown);
    if (word.length > 0) tokens.add(word.length, unknownId, true);
    return tokens;
  }

  return {
    fusesUnknown,
    cutsAtMetaspace: false,
    read(word) {
      if (countCodePoints(word, 0, word.length) > maxCharacters) return unknown(word);
      const tokens = new WordBuilder(fusesUnknown);
      return match(word, tokens) === word.length ? tokens : unknown(word);
    },
  };
}

/** The prefix of tokens within a word, such as `##`. Tokens contain the prefix; words do not. */
interface Prefix {
  readonly text: string;
  readonly hash: number;
}

const prefixOf = (text: string): Prefix => ({ text, hash: hashOf(text) });

const HEADER = 4;

const FREE = -1;

const MIN_SLOTS_PER_TOKEN = 2;

/**
 * A hash table of tokens and their ids in memory that threads share. A look-up creates no string, and opening
 * the table takes no time.
 */
export class Vocabulary {
  readonly memory: SharedArrayBuffer;
  readonly ids: Uint32Array;
  /** By slot: a token's index in the lower bits, and the highest bits of its hash in the upper bits. */
  readonly #slots: Int32Array;
  /** Token `index` has the units from `starts[index]` to `starts[index + 1]`. */
  readonly #starts: Uint32Array;
  readonly #units: Uint16Array;
  readonly #longest: number;
  readonly #hashes: Int32Array;
  /** Additional bytes that were passed to `build`. */
  readonly rest: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    const [count = 0, slots = 0, units = 0, longest = 0] = new Uint32Array(memory, 0, HEADER);
    let at = HEADER * Uint32Array.BYTES_PER_ELEMENT;
    const next = (length: number): number => {
      const from = at;
      at += length * Uint32Array.BYTES_PER_ELEMENT;
      return from;
    };
    this.memory = memory;
    this.#slots = new Int32Array(memory, next(slots), slots);
    this.ids = new Uint32Array(memory, next(count), count);
    this.#starts = new Uint32Array(memory, next(count + 1), count + 1);
    this.#units = new Uint16Array(memory, at, units);
    this.#longest = longest;
    this.#hashes = new Int32Array(longest + 1);
    this.rest = new Uint8Array(memory, at + units * Uint16Array.BYTES_PER_ELEMENT);
  }

  static build(tokens: TokenList, rest = new Uint8Array()): Vocabulary {
    const { count, unitCount } = tokens;
    const slots = 2 ** Math.ceil(Math.log2(MIN_SLOTS_PER_TOKEN * count + 1));
    const numbers = HEADER + slots + count + count + 1;
    const bytes = numbers * Uint32Array.BYTES_PER_ELEMENT + unitCount * Uint16Array.BYTES_PER_ELEMENT;
    const memory = new SharedArrayBuffer(bytes + rest.length);
    new Uint32Array(memory, 0, HEADER).set([count, slots, unitCount, tokens.longest]);
    const vocabulary = new Vocabulary(memory);
    vocabulary.#fill(tokens);
    vocabulary.rest.set(rest);
    return vocabulary;
  }

  idOf(token: string): number | undefined {
    const index = this.#find(hashOf(token), token, 0, token.length, '');
    return index === FREE ? undefined : this.ids[index];
  }

  /** The index of the longest token that begins at `start` in a word; -1 without a match. */
  longest(word: string, start: number, { text: prefix, hash: prefixHash }: Prefix): number {
    const maxLength = Math.min(word.length - start, this.#longest - prefix.length);
    const hashes = this.#hashes;
    let hash = prefixHash;
    for (let length = 1; length <= maxLength; length++) {
      hash = withUnit(hash, word.charCodeAt(start + length - 1));
      hashes[length] = hash;
    }
    for (let end = start + maxLength; end > start; end--) {
      const index = this.#find(hashes[end - start] as number, word, start, end, prefix);
      if (index !== FREE && !splitsCodePoint(word, end)) return index;
    }
    return FREE;
  }

  lengthOf(index: number): number {
    return (this.#starts[index + 1] as number) - (this.#starts[index] as number);
  }

  #fill({ ids, starts, units, count, unitCount }: TokenList): void {
    this.#slots.fill(FREE);
    this.ids.set(ids.subarray(0, count));
    this.#starts.set(starts.subarray(0, count + 1));
    this.#units.set(units.subarray(0, unitCount));
    // Tokens are added in reverse order, so that the last of several equal tokens is found first.
    for (let index = count - 1; index >= 0; index--) {
      let hash = SEED;
      for (let at = starts[index] as number; at < (starts[index + 1] as number); at++)
        hash = withUnit(hash, units[at] as number);
      let slot = this.#firstSlot(hash);
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = (hash & -this.#slots.length) | index;
    }
  }

  #firstSlot(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }

  #find(hash: number, text: string, start: number, end: number, prefix: string): number {
    let slot = this.#firstSlot(hash);
    for (;;) {
      const held = this.#slots[slot] as number;
      if (held === FREE) return FREE;
      const index = held & (this.#slots.length - 1);
      const isOther = ((held ^ hash) & -this.#slots.length) !== 0;
      if (!isOther && this.#holds(index, text, start, end, prefix)) return index;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
  }

  #holds(index: number, text: string, start: number, end: number, prefix: string): boolean {
    let at = this.#starts[index] as number;
    if (this.lengthOf(index) !== end - start + prefix.length) return false;
    for (let unit = 0; unit < prefix.length; unit++)
      if (this.#units[at++] !== prefix.charCodeAt(unit)) return false;
    for (let unit = start; unit < end; unit++) if (this.#units[at++] !== text.charCodeAt(unit)) return false;
    return true;
  }
}

const FIRST_TOKENS = 1 << 12;
const FIRST_UNITS = 1 << 15;

export class TokenList {
  ids = new Uint32Array(FIRST_TOKENS);
  starts = new Uint32Array(FIRST_TOKENS);
  units = new Uint16Array(FIRST_UNITS);
  count = 0;
  unitCount = 0;
  longest = 0;

  addAll(entries: Iterable<readonly [string, number]>): this {
    for (const [token, id] of entries) this.add(token, 0, token.length, id);
    return this;
  }

  /** Adds the token `text.slice(from, to)`. If several tokens are equal, the last one counts. */
  add(text: string, from: number, to: number, id: number): void {
    const index = this.count++;
    this.ids = withRoomFor(this.ids, index + 1);
    this.starts = withRoomFor(this.starts, index + 2);
    this.units = withRoomFor(this.units, this.unitCount + to - from);
    this.ids[index] = id;
    for (let at = from; at < to; at++) this.units[this.unitCount++] = text.charCodeAt(at);
    this.starts[index + 1] = this.unitCount;
    this.longest = Math.max(this.longest, to - from);
  }
}

/** FNV-1a over UTF-16 units. Hashes are the same in all threads. */
const SEED = 0x811c9dc5;
const withUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

function hashOf(text: string): number {
  let hash = SEED;
  for (let at = 0; at < text.length; at++) hash = withUnit(hash, text.charCodeAt(at));
  return hash;
}
