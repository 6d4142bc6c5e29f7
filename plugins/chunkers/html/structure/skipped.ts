import type { Span } from '../../../../core/kit.ts';

const NOWHERE = -1;

/** The skipped elements of a text, and the current one. */
export class Skipped {
  readonly #names: ReadonlySet<string>;
  readonly stretches: Span[] = [];
  /** Number of skipped elements by name. */
  readonly counts = new Map<string, number>();
  #start = NOWHERE;
  #name = '';
  #isBlock = false;
  /** Inline elements of its name that are open, if it is inline. */
  #nested = 0;
  /** Number of blocks that are open after the block that ends it. */
  #lastDepth = 0;

  /** @param names case-insensitive */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  get isOn(): boolean {
    return this.#start !== NOWHERE;
  }

  /** Where the last skipped element ends. */
  get end(): number {
    return this.stretches.at(-1)?.end ?? NOWHERE;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** A skipped element begins. @param depth number of open blocks around it */
  begin(name: string, start: number, depth: number, isBlock: boolean): void {
    this.#start = start;
    this.#name = name;
    this.#isBlock = isBlock;
    this.#nested = 1;
    this.#lastDepth = isBlock ? depth : depth - 1;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  finish(end: number): void {
    this.stretches.push({ start: this.#start, end });
    this.#start = NOWHERE;
  }

  /**
   * Where the element ends if it ends with a block; an inline element ends with the content of the block around it.
   *
   * @param depth number of blocks that stay open
   * @param inner where the content of the block ends
   */
  endWith(depth: number, inner: number, end: number): number | undefined {
    if (!this.isOn || depth !== this.#lastDepth) return undefined;
    return this.#isBlock ? end : inner;
  }

  /** An inline element opens within the skipped element. */
  open(name: string): void {
    if (!this.#isBlock && name === this.#name) this.#nested++;
  }

  /** Whether the closing tag of an inline element ends the skipped element. */
  closes(name: string): boolean {
    return !this.#isBlock && name === this.#name && --this.#nested === 0;
  }
}
