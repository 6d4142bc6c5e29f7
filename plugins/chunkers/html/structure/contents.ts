import { countUpTo } from '../../../../core/kit.ts';
import { bitOf, KINDS, type Kind, type KindBits } from './elements.ts';

const TEXT = bitOf('text');

export class Contents {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #bits: KindBits[] = [];
  readonly #names = new Map<string, readonly Kind[]>();
  #isBroken = true;

  /** Adds the next stretch in text order. Adjacent stretches of the same kinds are merged. */
  add(start: number, end: number, bits: KindBits): void {
    const kinds = bits === 0 ? TEXT : bits;
    const last = this.#ends.length - 1;
    if (!this.#isBroken && this.#bits[last] === kinds) this.#ends[last] = end;
    else {
      this.#starts.push(start);
      this.#ends.push(end);
      this.#bits.push(kinds);
    }
    this.#isBroken = false;
  }

  breakRun(): void {
    this.#isBroken = true;
  }

  hasContent(start: number, end: number): boolean {
    return (this.#starts[countUpTo(this.#ends, start)] ?? Number.POSITIVE_INFINITY) < end;
  }

  /** The kinds of content in a stretch, each once, in text order. */
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
