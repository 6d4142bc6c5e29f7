import { keepOptimised } from '../../../../core/kit.ts';
import type { Tokens } from '../models/word.ts';

const MAX_LENGTH = 64;

/** Maximum cached words. A full cache drops all words, so that users' texts are not kept for long. */
const MAX_WORDS = 1 << 16;

const MAX_TOKENS = 1 << 20;

const SLOTS = 2 * MAX_WORDS;

/** Maximum slots that are examined for one word, to limit the time of a search. */
const MAX_PROBES = 16;

/**
 * Numbers per slot, adjacent so that most look-ups take one cache line. The first number, the key, is the
 * hash with the word's length in the lowest bits. The key of a free slot is 0.
 */
const STEP = 8;
const LENGTH_MASK = 2 * MAX_LENGTH - 1;
const COUNT = 1;
const FIRST = 2;
/** Offset of the first token's id. */
const ID = 3;
/** Offset of a short word's units, two per number, or of the index of a longer word's units. */
const UNITS = 4;
const SHORT = 2 * (STEP - UNITS);

const UNHELD = SLOTS * STEP;

/** Caches the tokens of words in flat arrays. Unlike in a `Map`, a look-up creates no string. */
export class WordTokens {
  /** Ids of the tokens of all words. The tokens of `word` begin at `firstOf(word)`, here and in `ends`. */
  ids = new Uint32Array();
  ends = new Uint32Array();
  readonly #read: (word: string) => Tokens;
  readonly #slots = new Int32Array((SLOTS + 1) * STEP);
  readonly #slotUnits = new Uint16Array(this.#slots.buffer);
  #units = new Uint16Array();
  #unitCount = 0;
  #words = 0;
  #tokens = 0;

  constructor(read: (word: string) => Tokens) {
    this.#read = read;
  }

  /**
   * Returns the slot of `text.slice(start, end)`, which must not be empty. The slot is valid until the next
   * call.
   *
   * @param units the UTF-16 units of `text`
   */
  find(text: string, start: number, end: number, hash: number, units: Uint16Array): number {
    if (end - start > MAX_LENGTH) return this.#add(text.slice(start, end), 0, UNHELD);
    const key = (hash & ~LENGTH_MASK) | (end - start);
    const slots = this.#slots;
    let slot = ((hash ^ (hash >>> 15)) & (SLOTS - 1)) * STEP;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      if (slots[slot] === 0) return this.#add(text.slice(start, end), key, slot);
      if (slots[slot] === key && this.#holds(slot, units, start, end)) return slot;
      slot = slot + STEP === UNHELD ? 0 : slot + STEP;
    }
    return this.#add(text.slice(start, end), 0, UNHELD);
  }

  firstOf(word: number): number {
    return this.#slots[word + FIRST] as number;
  }

  countOf(word: number): number {
    return this.#slots[word + COUNT] as number;
  }

  idOf(word: number): number {
    return this.#slots[word + ID] as number;
  }

  #holds(slot: number, units: Uint16Array, start: number, end: number): boolean {
    const isShort = end - start <= SHORT;
    const held = isShort ? this.#slotUnits : this.#units;
    const offset = (isShort ? 2 * (slot + UNITS) : (this.#slots[slot + UNITS] as number)) - start;
    for (let at = start; at < end; at++) if (held[offset + at] !== units[at]) return false;
    return true;
  }

  #add(word: string, key: number, slot: number): number {
    const { ids, ends } = this.#read(word);
    if (this.#words === MAX_WORDS || this.#tokens + ids.length > MAX_TOKENS) this.#clear();
    this.#slots[slot] = key;
    this.#slots[slot + COUNT] = ids.length;
    this.#slots[slot + FIRST] = this.#tokens;
    this.#slots[slot + ID] = ids[0] ?? 0;
    this.#addTokens(ids, ends);
    this.#words++;
    if (slot === UNHELD) return slot;
    if (word.length > SHORT) this.#slots[slot + UNITS] = this.#addUnits(word);
    else
      for (let at = 0; at < word.length; at++) this.#slotUnits[2 * (slot + UNITS) + at] = word.charCodeAt(at);
    return slot;
  }

  #addUnits(word: string): number {
    const from = this.#unitCount;
    this.#units = withRoomFor(this.#units, from + word.length);
    for (let at = 0; at < word.length; at++) this.#units[this.#unitCount++] = word.charCodeAt(at);
    return from;
  }

  #addTokens(ids: readonly number[], ends: readonly number[]): void {
    const from = this.#tokens;
    this.#tokens += ids.length;
    this.ids = withRoomFor(this.ids, this.#tokens);
    this.ids.set(ids, from);
    if (ends.length === 0) return;
    this.ends = withRoomFor(this.ends, this.#tokens);
    this.ends.set(ends, from);
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#words = 0;
    this.#tokens = 0;
    this.#unitCount = 0;
    this.ids = new Uint32Array();
    this.ends = new Uint32Array();
    this.#units = new Uint16Array();
  }
}

keepOptimised(new WordTokens(() => ({ ids: [], ends: [] })));

const MIN_ROOM = 1 << 10;

export function withRoomFor<Numbers extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  numbers: Numbers,
  length: number,
): Numbers {
  if (length <= numbers.length) return numbers;
  const longer = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(length, 2 * numbers.length, MIN_ROOM),
  );
  longer.set(numbers);
  return longer;
}

/** Caches a bounded number of results of `read` for short words. */
export function createMemo<Value>(read: (word: string) => Value): (word: string) => Value {
  const values = new Map<string, Value>();
  return (word) => {
    if (word.length > MAX_LENGTH) return read(word);
    let value = values.get(word);
    if (value === undefined) {
      value = read(word);
      if (values.size >= MAX_WORDS) values.clear();
      values.set(detach(word), value);
    }
    return value;
  };
}

/** Copies a word, so that it does not keep its source text in memory. */
const detach = (word: string): string => ` ${word}`.slice(1);
