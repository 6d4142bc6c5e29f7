import { keepOptimised, type Span } from '../../../core/kit.ts';
import { BACKSLASH, COLON, COMMA, isCloser, isOpener, OPEN_OBJECT, QUOTE, Tokens } from './tokens.ts';

/** Pointers with more characters or levels are omitted. */
const MAX_CHARACTERS = 256;
const MAX_LEVELS = 64;
const NO_NAME = -1;

class Path {
  readonly #text: string;
  /** The number of open objects and lists. Only the outermost `MAX_LEVELS` of them have names and positions. */
  depth = 0;
  readonly #isObject: boolean[] = [];
  readonly #elements: number[] = [];
  readonly #firsts: number[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];
  readonly #pointers: (string | null | undefined)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  enter(isObject: boolean): void {
    const level = this.depth++;
    if (level >= MAX_LEVELS) return;
    this.#isObject[level] = isObject;
    this.#elements[level] = 0;
    this.#firsts[level] = 0;
    this.#nameStarts[level] = NO_NAME;
    this.#nameEnds[level] = NO_NAME;
    this.#pointers[level] = undefined;
  }

  leave(): void {
    if (this.depth > 0) this.depth--;
  }

  advance(): void {
    const level = this.depth - 1;
    if (level >= MAX_LEVELS) return;
    this.#elements[level] = (this.#elements[level] as number) + 1;
    this.#nameStarts[level] = NO_NAME;
    this.#pointers[level] = undefined;
  }

  markFirsts(): void {
    const levels = Math.min(this.depth, MAX_LEVELS);
    for (let level = 0; level < levels; level++) this.#firsts[level] = this.#elements[level] as number;
  }

  element(level: number): number {
    if (level >= MAX_LEVELS || this.#isObject[level] === true) return 0;
    return (this.#elements[level] as number) + 1;
  }

  firstElement(level: number): number {
    return (this.#firsts[level] as number) + 1;
  }

  name(start: number, end: number): void {
    const level = this.depth - 1;
    if (level < 0 || level >= MAX_LEVELS || this.#nameStarts[level] !== NO_NAME) return;
    this.#nameStarts[level] = start;
    this.#nameEnds[level] = end;
    this.#pointers[level] = undefined;
  }

  pointer(levels: number): string | null {
    if (levels === 0) return '';
    if (levels > MAX_LEVELS) return null;
    const known = this.#pointers[levels - 1];
    if (known !== undefined) return known;
    const outer = this.pointer(levels - 1);
    const segment = outer === null ? undefined : this.#segment(levels - 1);
    const isShort = segment !== undefined && `${outer}/${segment}`.length <= MAX_CHARACTERS;
    const pointer = isShort ? `${outer}/${segment}` : null;
    this.#pointers[levels - 1] = pointer;
    return pointer;
  }

  #segment(level: number): string | undefined {
    if (this.#isObject[level] !== true) return String(this.#elements[level]);
    const start = this.#nameStarts[level] as number;
    const end = this.#nameEnds[level] as number;
    if (start === NO_NAME) return '';
    // In JSON, a character takes at most six code units, as in `\u0041`.
    if (end - start > 6 * MAX_CHARACTERS) return undefined;
    return nameOf(this.#text.slice(start, end)).replaceAll('~', '~0').replaceAll('/', '~1');
  }
}

keepOptimised(new Path(''));

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

/** First and last position, counted from 1. */
type Range = readonly [first: number, last: number];

export interface Position {
  /** JSON Pointer of the smallest value around the stretch; null for several records, or if too long or too deep. */
  readonly pointer: string | null;
  readonly records: Range;
  readonly elements: Range | undefined;
}

/**
 * Computes the positions of consecutive stretches that cover a text. Only scalars, objects and lists that are wholly in
 * a stretch count; a name counts as part of its value. A single bracket counts only in a stretch without values.
 */
export function positionsOf(text: string, spans: readonly Span[]): Position[] {
  const walk = new Walk(text);
  return spans.map(({ end }) => walk.to(end));
}

class Walk {
  readonly #tokens: Tokens;
  readonly #path: Path;
  /** Whether `#tokens` is at a token; false at the end of the text. */
  #isRead: boolean;
  #isFollowed = false;
  #isBehindComma = false;
  #isBehindColon = false;
  #isBehindOpener = false;
  #record = 0;
  /** Number of path levels that all values of the stretch share; undefined before the first value. */
  #shared: number | undefined;
  #sharedByMarks: number | undefined;
  /** Maximum levels that the next value can share with the previous values of the stretch. */
  #sharedWithNext = Number.POSITIVE_INFINITY;
  /** Pointer of the values so far, kept while the path is already at the next element; undefined otherwise. */
  #pointer: string | null | undefined;
  #fewest = 0;
  /** First and last element of the stretch so far, if its pointer is that of a list; otherwise `#last` is 0. */
  #first = 0;
  #last = 0;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
    this.#path = new Path(text);
    this.#isRead = this.#tokens.next();
  }

  /** Reads up to `end`. @returns the position of the stretch between the `end` of the previous call and this `end` */
  to(end: number): Position {
    const tokens = this.#tokens;
    const path = this.#path;
    this.#shared = undefined;
    this.#sharedByMarks = undefined;
    this.#sharedWithNext = Number.POSITIVE_INFINITY;
    this.#pointer = undefined;
    this.#fewest = path.depth;
    this.#last = 0;
    path.markFirsts();
    let first = this.#record;
    while (this.#isRead && tokens.start < end) {
      const isFirst = this.#sharedByMarks === undefined;
      this.#follow();
      if (isFirst) first = this.#record;
      if (tokens.end > end) break;
      this.#isRead = tokens.next();
      this.#isFollowed = false;
    }
    const levels = this.#shared ?? this.#sharedByMarks ?? Math.max(path.depth - 1, 0);
    const isOneRecord = first === this.#record;
    const pointer = this.#pointer === undefined ? path.pointer(levels) : this.#pointer;
    return {
      pointer: isOneRecord ? pointer : null,
      records: [Math.max(first, 1), Math.max(this.#record, 1)],
      elements: isOneRecord && pointer !== null && this.#last > 0 ? [this.#first, this.#last] : undefined,
    };
  }

  #follow(): void {
    const { kind } = this.#tokens;
    if (kind === COMMA) this.#isBehindComma = true;
    if (kind === COMMA || kind === COLON) this.#isBehindColon = kind === COLON;
    else if (isCloser(kind)) this.#leave();
    else {
      if (!this.#isFollowed) this.#begin();
      const opens = isOpener(kind);
      this.#share(!opens, false);
      if (opens) this.#path.enter(kind === OPEN_OBJECT);
      this.#isBehindOpener = opens;
    }
    this.#isFollowed = true;
  }

  #leave(): void {
    const path = this.#path;
    const isWhole = path.depth > this.#fewest;
    path.leave();
    this.#fewest = Math.min(this.#fewest, path.depth);
    this.#share(isWhole, !this.#isBehindOpener);
    this.#isBehindOpener = false;
    this.#isBehindComma = false;
  }

  #begin(): void {
    const { kind, start, end } = this.#tokens;
    const { depth } = this.#path;
    if (depth === 0 && !this.#isBehindColon) this.#record++;
    if (this.#isBehindComma && depth > 0) this.#advance(depth);
    if (!isOpener(kind) && !this.#isBehindColon) this.#path.name(start, end);
    this.#isBehindComma = false;
    this.#isBehindColon = false;
  }

  #advance(depth: number): void {
    if (this.#shared !== undefined) {
      if (this.#shared >= depth && this.#pointer === undefined)
        this.#pointer = this.#path.pointer(this.#shared);
      this.#sharedWithNext = Math.min(this.#sharedWithNext, depth - 1);
    }
    if (this.#sharedByMarks !== undefined) this.#sharedByMarks = Math.min(this.#sharedByMarks, depth - 1);
    this.#path.advance();
    if (this.#shared === undefined) this.#path.markFirsts();
  }

  /**
   * Records a complete value, or a single bracket.
   *
   * @param isClosed whether a non-empty object or list has just ended
   */
  #share(isValue: boolean, isClosed: boolean): void {
    const { depth } = this.#path;
    if (isValue) {
      const shared = Math.min(this.#shared ?? depth, depth, this.#sharedWithNext);
      this.#shared = shared;
      this.#pointer = undefined;
      this.#last = depth > shared || isClosed ? this.#path.element(shared) : 0;
      if (this.#last > 0) this.#first = this.#path.firstElement(shared);
    }
    this.#sharedByMarks = Math.min(this.#sharedByMarks ?? depth, depth);
  }
}

keepOptimised(new Walk(''));
