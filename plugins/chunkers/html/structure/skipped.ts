import type { Span } from '../../../../core/kit.ts';

/** The elements of a text that are left out, and the one that is being left out. */
export class Skipped {
  readonly #names: ReadonlySet<string>;
  readonly found: Span[] = [];
  /** How many elements of each name were left out. */
  readonly counts = new Map<string, number>();
  #start = NOWHERE;
  #name = '';
  #isBlock = false;
  /** Of an inline element: how many of its name are open. */
  #nested = 0;
  /** How many blocks are open around it. */
  #depth = 0;

  /** @param names in any case of letters */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  get isOn(): boolean {
    return this.#start !== NOWHERE;
  }

  /** Where the last one ended. */
  get end(): number {
    return this.found.at(-1)?.end ?? NOWHERE;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** An element that is left out begins, with so many blocks open around it. */
  begin(name: string, start: number, depth: number, isBlock: boolean): void {
    this.#start = start;
    this.#name = name;
    this.#isBlock = isBlock;
    this.#nested = 1;
    this.#depth = depth;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  finish(end: number): void {
    this.found.push({ start: this.#start, end });
    this.#start = NOWHERE;
  }

  /** Whether a block that ends, with so many still open, was around the element. */
  isAround(depth: number): boolean {
    return depth < this.#depth;
  }

  /** Whether a block that ends, with so many still open, is the element. */
  isIt(depth: number): boolean {
    return this.#isBlock && depth === this.#depth;
  }

  /** An inline element opens within. */
  open(name: string): void {
    if (!this.#isBlock && name === this.#name) this.#nested++;
  }

  /** Whether the closing tag of an inline element ends the one that is left out. */
  closes(name: string): boolean {
    return !this.#isBlock && name === this.#name && --this.#nested === 0;
  }
}

const NOWHERE = -1;
