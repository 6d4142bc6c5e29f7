import type { Heading } from '../../../toolkit/heading-paths.ts';
import { wordsOf } from './words.ts';

/** Decodes the character references of a text. */
export type Decode = (text: string) => string;

/** A heading, and where the text that it introduces begins. */
export interface PlacedHeading extends Heading {
  readonly end: number;
}

/** How a scope was entered: the state to restore. */
interface Scope {
  readonly level: number;
  readonly base: number;
  readonly count: number;
}

type Open<T> = { -readonly [Key in keyof T]: T[Key] };

/** Maximum names of a path. */
const MAX_DEPTH = 6;
const NOWHERE = -1;

/**
 * Collects the headings of a text. Within a sectioning element they are below the current heading around it, and do
 * not extend beyond its end.
 */
export class Headings {
  readonly #text: string;
  readonly #decode: Decode;
  readonly found: Open<PlacedHeading>[] = [];
  readonly #scopes: Scope[] = [];
  /** Level of the current heading, and of the one where the innermost scope was entered. */
  #level = 0;
  #base = 0;
  /** Indices of headings that no scope has ended yet, and of those whose scope has just ended. */
  readonly #unbounded: number[] = [];
  readonly #ending: Open<PlacedHeading>[] = [];
  #open: { readonly level: number; readonly inner: number; start: number } | undefined;
  /** The last heading, with no content after it so far. */
  #lead: Open<PlacedHeading> | undefined;

  /** @param decode decodes character references */
  constructor(text: string, decode: Decode) {
    this.#text = text;
    this.#decode = decode;
  }

  enterScope(): void {
    this.#scopes.push({ level: this.#level, base: this.#base, count: this.found.length });
    this.#base = this.#level;
  }

  leaveScope(): void {
    const scope = this.#scopes.pop();
    if (scope === undefined) return;
    this.#level = scope.level;
    this.#base = scope.base;
    while ((this.#unbounded.at(-1) ?? NOWHERE) >= scope.count) {
      const heading = this.found[this.#unbounded.pop() ?? 0];
      if (heading !== undefined) this.#ending.push(heading);
    }
  }

  /** A heading of a level opens; its text begins at `inner`. */
  open(level: number, inner: number): void {
    this.#open = { level, inner, start: NOWHERE };
  }

  /** Content begins at an offset; the text after the preceding tags begins at `cut`. */
  content(cut: number, offset: number): void {
    for (let heading = this.#ending.pop(); heading !== undefined; heading = this.#ending.pop())
      heading.reach = cut;
    if (this.#open !== undefined) {
      if (this.#open.start === NOWHERE) this.#open.start = cut;
    } else if (this.#lead !== undefined) {
      this.#lead.end = offset;
      this.#lead = undefined;
    }
  }

  /**
   * The open heading ends, and its text at an offset. An empty one does not count.
   *
   * @returns whether it counts
   */
  close(innerEnd: number, end: number): boolean {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.start === NOWHERE) return false;
    const { start, inner } = open;
    const level = Math.min(Math.max(open.level, this.#base + 1), MAX_DEPTH);
    if (this.#lead !== undefined) {
      this.#lead.isLead = true;
      this.#lead.end = start;
    }
    const name = () => wordsOf(this.#text, inner, innerEnd, this.#decode);
    this.#lead = { start, level, isLead: false, reach: undefined, name, end };
    this.#unbounded.push(this.found.length);
    this.found.push(this.#lead);
    this.#level = level;
    return true;
  }
}
