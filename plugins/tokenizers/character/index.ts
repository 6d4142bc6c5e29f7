import { type Factory, keepOptimised, type TokenizedText, type Tokenizer } from '../../../core/kit.ts';
import { utf16Units } from '../../toolkit/running-total.ts';
import type manifest from './manifest.ts';

/** Opens `character`: one token per code point. A lone surrogate is one token. */
const createCharacterTokenizers: Factory<typeof manifest> = () => ({
  names: () => [character.name],
  open: async (name) => (name === character.name ? character : undefined),
});

export default createCharacterTokenizers;

const character: Tokenizer = {
  name: 'character',
  tokenize: (text) => (/[\ud800-\udfff]/.test(text) ? new AstralText(text) : new PlainText(text.length)),
};

class PlainText implements TokenizedText {
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  count(start: number, end: number): number {
    return end - start;
  }

  ends(): Uint32Array {
    return upTo(this.#length);
  }
}

keepOptimised(new PlainText(0));

/** Maximum length of the cached list of ends. */
const MAX_KEPT = 1 << 20;
let kept = new Uint32Array(0);

function upTo(length: number): Uint32Array {
  if (length > MAX_KEPT) return countUp(length);
  if (length > kept.length) kept = countUp(Math.min(MAX_KEPT, 2 * length));
  return kept.subarray(0, length);
}

function countUp(length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let index = 0; index < length; index++) numbers[index] = index + 1;
  return numbers;
}

/** A text with surrogates. Pairs before each checkpoint are counted once; pairs after it, at each query. */
class AstralText implements TokenizedText {
  readonly #units: Uint16Array;
  #checkpoints: Uint32Array | undefined;

  constructor(text: string) {
    this.#units = utf16Units(text);
  }

  /** Subtracts 1 for each whole pair in the span. The half of a pair that a boundary divides is one token. */
  count(start: number, end: number): number {
    return end > start ? end - start - this.#pairsBefore(end - 1) + this.#pairsBefore(start) : 0;
  }

  ends(): Uint32Array {
    const units = this.#units;
    const ends = new Uint32Array(units.length - this.#pairsBefore(units.length));
    let offset = 0;
    for (let token = 0; token < ends.length; token++) {
      offset += isPair(units, offset) ? 2 : 1;
      ends[token] = offset;
    }
    return ends;
  }

  endsWithin(start: number, end: number): ArrayLike<number> {
    const units = this.#units;
    const ends: number[] = [];
    for (let at = start + 1; at < end; at++) if (!isPair(units, at - 1)) ends.push(at);
    return ends;
  }

  #pairsBefore(offset: number): number {
    this.#checkpoints ??= countPairs(this.#units);
    const checkpoint = Math.floor(offset / STEP);
    const before = this.#checkpoints[checkpoint] as number;
    if (before === this.#checkpoints[checkpoint + 1]) return before;
    return before + pairsIn(this.#units, checkpoint * STEP, offset);
  }
}

keepOptimised(new AstralText(''));

/** UTF-16 units between two checkpoints: the maximum that a query scans at each boundary. */
const STEP = 16;

function countPairs(units: Uint16Array): Uint32Array {
  const checkpoints = new Uint32Array(Math.floor(units.length / STEP) + 1);
  const twos = new Uint32Array(units.buffer, 0, units.length >>> 1);
  let pairs = 0;
  for (let checkpoint = 1; checkpoint < checkpoints.length; checkpoint++) {
    const start = (checkpoint - 1) * STEP;
    if (hasHighSurrogate(twos, start / 2, (start + STEP) / 2)) pairs += pairsIn(units, start, start + STEP);
    checkpoints[checkpoint] = pairs;
  }
  return checkpoints;
}

/** Whether `twos[start, end)` contains the first surrogate of a pair. Each element holds two UTF-16 units. */
function hasHighSurrogate(twos: Uint32Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const two = twos[index] as number;
    if ((two & 0xfc00) === 0xd800 || two >>> 26 === 0xd800 >>> 10) return true;
  }
  return false;
}

function pairsIn(units: Uint16Array, start: number, end: number): number {
  let pairs = 0;
  for (let index = start; index < end; index++) if (isPair(units, index)) pairs++;
  return pairs;
}

function isPair(units: Uint16Array, index: number): boolean {
  return ((units[index] as number) & 0xfc00) === 0xd800 && ((units[index + 1] as number) & 0xfc00) === 0xdc00;
}
