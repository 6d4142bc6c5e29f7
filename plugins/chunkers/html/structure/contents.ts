import { countUpTo } from '../../../../core/kit.ts';
import { KINDS, type Kind } from './elements.ts';

/** Kinds as a set of bits. */
export type KindBits = number;

const BIT_BY_KIND: ReadonlyMap<Kind, KindBits> = new Map(KINDS.map((kind, index) => [kind, 1 << index]));

export function bitOf(kind: Kind | undefined): KindBits {
  return kind === undefined ? 0 : (BIT_BY_KIND.get(kind) ?? 0);
}

const TEXT = bitOf('text');

/** The stretches of a text that are content, with the kinds of the blocks around each. */
export class Contents {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #bits: KindBits[] = [];
  readonly #names = new Map<string, readonly Kind[]>();
  #isParted = true;

  /** Stretches come in the order of the text; neighbours of the same kinds become one. */
  add(start: number, end: number, bits: KindBits): void {
    const own = bits === 0 ? TEXT : bits;
    const last = this.#ends.length - 1;
    if (!this.#isParted && this.#bits[last] === own) this.#ends[last] = end;
    else {
      this.#starts.push(start);
      this.#ends.push(end);
      this.#bits.push(own);
    }
    this.#isParted = false;
  }

  /** The next content is not joined to what was before. */
  part(): void {
    this.#isParted = true;
  }

  /** Whether there is any content in a stretch. */
  isIn(start: number, end: number): boolean {
    return (this.#starts[countUpTo(this.#ends, start)] ?? Number.POSITIVE_INFINITY) < end;
  }

  /** The kinds of blocks in a stretch, each once, in the order of the text. */
  kindsIn(start: number, end: number): readonly Kind[] {
    const order: KindBits[] = [];
    let seen = 0;
    for (let index = countUpTo(this.#ends, start); (this.#starts[index] ?? end) < end; index++) {
      const fresh = (this.#bits[index] ?? 0) & ~seen;
      if (fresh !== 0) order.push(fresh);
      seen |= fresh;
    }
    const key = order.join();
    const kinds = this.#names.get(key) ?? order.flatMap(namesOf);
    this.#names.set(key, kinds);
    return kinds;
  }
}

function namesOf(bits: KindBits): readonly Kind[] {
  return KINDS.filter((_, index) => (bits & (1 << index)) !== 0);
}
