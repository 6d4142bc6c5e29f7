import type { Span } from '../../../../core/kit.ts';

/** The elements of a text that are left out, and the current one. */
export class Skipped {
  readonly #names: ReadonlySet<string>;
  readonly found: Span[] = [];
  /** Number of left-out elements by name. */
  readonly counts = new Map<string, number>();
  #start = NOWHERE;
  #name = '';
  #isBlock = false;
  /** For an inline element: how many with its name are open. */
  #nested = 0;
  /** Number of blocks that stay open after the one that it ends with. */
  #lastDepth = 0;

  /** @param names case-insensitive */
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

  /** A left-out element begins, with this many open blocks around it. */
  begin(name: string, start: number, depth: number, isBlock: boolean): void {
    this.#start = start;
    this.#name = name;
    this.#isBlock = isBlock;
    this.#nested = 1;
    this.#lastDepth = isBlock ? depth : depth - 1;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  finish(end: number): void {
    this.found.push({ start: this.#start, end });
    this.#start = NOWHERE;
  }

  /**
   * Where the element ends if a block does, whose content ends at `inner`, with this many still open: an inline element
   * ends with the content of the block around it. Undefined if it does not end.
   */
  endWith(depth: number, inner: number, end: number): number | undefined {
    if (!this.isOn || depth !== this.#lastDepth) return undefined;
    return this.#isBlock ? end : inner;
  }

  /** An inline element opens within. */
  open(name: string): void {
    if (!this.#isBlock && name === this.#name) this.#nested++;
  }

  /** Whether the closing tag of an inline element ends the left-out one. */
  closes(name: string): boolean {
    return !this.#isBlock && name === this.#name && --this.#nested === 0;
  }
}

const NOWHERE = -1;
