import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { BACKSLASH, QUOTE } from './tokens.ts';

/** Longer pointers, and those of more levels, are not told: what is nested deeply would be named at great length. */
const MOST_CHARACTERS = 256;
const MOST_LEVELS = 64;
const NO_NAME = -1;

/** The open objects and lists of a text, and the member or element of each that a walk over it is in. */
export class Path {
  readonly #text: string;
  /** How many are open. Only the outermost are kept. */
  depth = 0;
  readonly #isObject: boolean[] = [];
  readonly #elements: number[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];
  /** The pointers of the current members, as far as they were asked for. */
  readonly #pointers: (string | null | undefined)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  enter(isObject: boolean): void {
    const level = this.depth++;
    if (level >= MOST_LEVELS) return;
    this.#isObject[level] = isObject;
    this.#elements[level] = 0;
    this.#nameStarts[level] = NO_NAME;
    this.#nameEnds[level] = NO_NAME;
    this.#pointers[level] = undefined;
  }

  leave(): void {
    if (this.depth > 0) this.depth--;
  }

  /** Goes on to the next member, whose name is not known yet, or to the next element. */
  advance(): void {
    const level = this.depth - 1;
    if (level >= MOST_LEVELS) return;
    this.#elements[level] = (this.#elements[level] as number) + 1;
    this.#nameStarts[level] = NO_NAME;
    this.#pointers[level] = undefined;
  }

  /** Takes a stretch for the name of the current member, if that has none yet. */
  name(start: number, end: number): void {
    const level = this.depth - 1;
    if (level < 0 || level >= MOST_LEVELS || this.#nameStarts[level] !== NO_NAME) return;
    this.#nameStarts[level] = start;
    this.#nameEnds[level] = end;
    this.#pointers[level] = undefined;
  }

  /** JSON Pointer of the current member of the outermost levels; null if it is too long. */
  pointer(levels: number): string | null {
    if (levels === 0) return '';
    if (levels > MOST_LEVELS) return null;
    const known = this.#pointers[levels - 1];
    if (known !== undefined) return known;
    const outer = this.pointer(levels - 1);
    const segment = outer === null ? undefined : this.#segment(levels - 1);
    const isShort = segment !== undefined && `${outer}/${segment}`.length <= MOST_CHARACTERS;
    const pointer = isShort ? `${outer}/${segment}` : null;
    this.#pointers[levels - 1] = pointer;
    return pointer;
  }

  /** The name or the number of a level's current member; undefined if it is too long. */
  #segment(level: number): string | undefined {
    if (this.#isObject[level] !== true) return String(this.#elements[level]);
    const start = this.#nameStarts[level] as number;
    const end = this.#nameEnds[level] as number;
    if (start === NO_NAME) return '';
    // An escape is at most six units for one.
    if (end - start > 6 * MOST_CHARACTERS) return undefined;
    return nameOf(this.#text.slice(start, end)).replaceAll('~', '~0').replaceAll('/', '~1');
  }
}

keepOptimised(new Path(''));

/** What a string or a bare word says. */
function nameOf(written: string): string {
  if (written.charCodeAt(0) !== QUOTE) return written;
  const inner = written.slice(1, written.endsWith('"') ? -1 : undefined);
  if (!inner.includes(String.fromCharCode(BACKSLASH))) return inner;
  try {
    return String(JSON.parse(written));
  } catch {
    return inner;
  }
}
