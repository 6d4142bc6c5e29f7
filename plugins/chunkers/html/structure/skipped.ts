import type { Span } from '../../../../core/kit.ts';

const NOWHERE = -1;

export class Skipped {
  readonly #names: ReadonlySet<string>;
  readonly stretches: Span[] = [];
  readonly counts = new Map<string, number>();
  #start = NOWHERE;
  #name = '';
  #isBlock = false;
  /** Number of open inline elements with the skipped element's name, including the skipped element. */
  #nested = 0;
  /** Number of blocks that remain open after the block whose end also ends the skipped element. */
  #lastDepth = 0;

  /** @param names case-insensitive */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  get isOn(): boolean {
    return this.#start !== NOWHERE;
  }

  get end(): number {
    return this.stretches.at(-1)?.end ?? NOWHERE;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @param depth number of open blocks around the skipped element */
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
   * The end of the skipped element if the end of a block also ends it; otherwise undefined. A skipped inline element
   * ends where the block's content ends.
   *
   * @param depth number of blocks that stay open
   * @param inner where the content of the block ends
   */
  endWith(depth: number, inner: number, end: number): number | undefined {
    if (!this.isOn || depth !== this.#lastDepth) return undefined;
    return this.#isBlock ? end : inner;
  }

  open(name: string): void {
    if (!this.#isBlock && name === this.#name) this.#nested++;
  }

  closes(name: string): boolean {
    return !this.#isBlock && name === this.#name && --this.#nested === 0;
  }
}
