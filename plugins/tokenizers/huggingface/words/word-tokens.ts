import { keepOptimised } from '../../../../core/kit.ts';
import type { Tokens } from '../models/word.ts';

/** Longest word that is kept. */
const MAX_LENGTH = 64;

/** Maximum words that are held. At that number all are dropped, so that users' words never stay for long. */
const MAX_WORDS = 1 << 16;

/** Maximum tokens of all held words. */
const MAX_TOKENS = 1 << 20;

const SLOTS = 2 * MAX_WORDS;

/** Slots that are examined for one word, which bounds the time for any word. */
const MAX_PROBES = 16;

const FREE = -1;

/**
 * Caches the tokens of words. A hash table over flat arrays, because looking up a word in it creates no string, as a
 * `Map` would require.
 */
export class WordTokens {
  /** The tokens of the word `index` are at `first[index]` to `first[index + 1]` in `ids` and `ends`. */
  readonly first = new Uint32Array(MAX_WORDS + 1);
  ids = new Uint32Array();
  /** End of every token, as an offset into its word, if words are read with them. */
  ends = new Uint32Array();
  readonly #read: (word: string) => Tokens;
  readonly #slots = new Int32Array(SLOTS).fill(FREE);
  readonly #hashes = new Int32Array(MAX_WORDS);
  readonly #starts = new Uint32Array(MAX_WORDS);
  readonly #lengths = new Uint8Array(MAX_WORDS);
  #units = new Uint16Array();
  #unitCount = 0;
  #words = 0;

  constructor(read: (word: string) => Tokens) {
    this.#read = read;
  }

  /** Returns the index of `text.slice(start, end)`, which is valid until the next call. */
  find(text: string, start: number, end: number, hash: number): number {
    if (end - start > MAX_LENGTH) return this.#add(text.slice(start, end), hash, FREE);
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const index = this.#slots[slot] as number;
      if (index === FREE) return this.#add(text.slice(start, end), hash, slot);
      if (this.#hashes[index] === hash && this.#holds(index, text, start, end)) return index;
      slot = (slot + 1) & (SLOTS - 1);
    }
    return this.#add(text.slice(start, end), hash, FREE);
  }

  #holds(index: number, text: string, start: number, end: number): boolean {
    if (this.#lengths[index] !== end - start) return false;
    const offset = (this.#starts[index] as number) - start;
    for (let at = start; at < end; at++) if (this.#units[offset + at] !== text.charCodeAt(at)) return false;
    return true;
  }

  #add(word: string, hash: number, slot: number): number {
    const { ids, ends } = this.#read(word);
    const isFull = this.#words === MAX_WORDS || (this.first[this.#words] as number) + ids.length > MAX_TOKENS;
    if (isFull) this.#clear();
    const index = this.#words++;
    this.#addTokens(index, ids, ends);
    if (slot === FREE) return index;
    this.#slots[slot] = index;
    this.#hashes[index] = hash;
    this.#starts[index] = this.#unitCount;
    this.#lengths[index] = word.length;
    this.#units = withRoomFor(this.#units, this.#unitCount + word.length);
    for (let at = 0; at < word.length; at++) this.#units[this.#unitCount++] = word.charCodeAt(at);
    return index;
  }

  #addTokens(index: number, ids: readonly number[], ends: readonly number[]): void {
    const from = this.first[index] as number;
    this.ids = withRoomFor(this.ids, from + ids.length);
    this.ids.set(ids, from);
    if (ends.length > 0) {
      this.ends = withRoomFor(this.ends, from + ids.length);
      this.ends.set(ends, from);
    }
    this.first[index + 1] = from + ids.length;
  }

  #clear(): void {
    this.#slots.fill(FREE);
    this.#words = 0;
    this.#unitCount = 0;
    this.ids = new Uint32Array();
    this.ends = new Uint32Array();
    this.#units = new Uint16Array();
  }
}

keepOptimised(new WordTokens(() => ({ ids: [], ends: [] })));

const LEAST_ROOM = 1 << 10;

/** The array itself, or a longer copy if it is too short. */
export function withRoomFor<Numbers extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  numbers: Numbers,
  length: number,
): Numbers {
  if (length <= numbers.length) return numbers;
  const longer = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(length, 2 * numbers.length, LEAST_ROOM),
  );
  longer.set(numbers);
  return longer;
}
