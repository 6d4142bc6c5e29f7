import type { Span } from '../../../core/contracts/chunk.ts';
import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { Path } from './path.ts';
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, Tokens } from './tokens.ts';

/** Where in the values of a text a stretch of it lies. */
export interface Place {
  /** JSON Pointer of the smallest value that holds it, see the manifest. */
  readonly pointer: string | null;
  /** The first and the last record that it holds something of, from 1. */
  readonly records: readonly [first: number, last: number];
}

/**
 * The places of rising stretches that cover a text. What is held are names, which count to their values, scalars, and
 * objects and lists from bracket to bracket; a bracket alone counts only where there is nothing else.
 */
export function placesOf(text: string, spans: readonly Span[]): Place[] {
  const walk = new Walk(text);
  return spans.map(({ end }) => walk.to(end));
}

/** A walk over the tokens of a text that follows the path of names and elements. */
class Walk {
  readonly #tokens: Tokens;
  readonly #path: Path;
  /** Whether a token was read that lies in the next stretch too, or begins there. */
  #isRead: boolean;
  /** Whether that token was followed already. */
  #isFollowed = false;
  #isBehindComma = false;
  #isBehindColon = false;
  #record = 0;
  /** Levels of the path that all values of the stretch share so far; undefined before the first. */
  #shared: number | undefined;
  /** The same with every single bracket. */
  #sharedByMarks: number | undefined;
  /** Levels that the next value shares at most with those before it. */
  #sharedWithNext = Number.POSITIVE_INFINITY;
  /** The pointer so far, if the path has gone on to a bracket that may stand alone. */
  #pointer: string | null | undefined;
  /** The fewest levels that were open in the stretch. */
  #fewest = 0;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
    this.#path = new Path(text);
    this.#isRead = this.#tokens.next();
  }

  /** The place of what stands before an offset and was not walked over before. */
  to(end: number): Place {
    const tokens = this.#tokens;
    const path = this.#path;
    this.#shared = undefined;
    this.#sharedByMarks = undefined;
    this.#sharedWithNext = Number.POSITIVE_INFINITY;
    this.#pointer = undefined;
    this.#fewest = path.depth;
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
    };
  }

  #follow(): void {
    const { kind } = this.#tokens;
    if (kind === COMMA) this.#isBehindComma = true;
    if (kind === COMMA || kind === COLON) this.#isBehindColon = kind === COLON;
    else if (kind === CLOSE_LIST || kind === CLOSE_OBJECT) this.#leave();
    else {
      if (!this.#isFollowed) this.#begin();
      const isOpener = kind === OPEN_LIST || kind === OPEN_OBJECT;
      this.#share(!isOpener);
      if (isOpener) this.#path.enter(kind === OPEN_OBJECT);
    }
    this.#isFollowed = true;
  }

  #leave(): void {
    const path = this.#path;
    const isWhole = path.depth > this.#fewest;
    path.leave();
    this.#fewest = Math.min(this.#fewest, path.depth);
    this.#share(isWhole);
    this.#isBehindComma = false;
  }

  /** Goes on to the member, element or record that a token begins, if it begins one. */
  #begin(): void {
    const { kind, start, end } = this.#tokens;
    const { depth } = this.#path;
    if (depth === 0 && !this.#isBehindColon) this.#record++;
    if (this.#isBehindComma && depth > 0) this.#advance(depth);
    if (kind !== OPEN_LIST && kind !== OPEN_OBJECT && !this.#isBehindColon) this.#path.name(start, end);
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
  }

  /** Notes that the stretch holds a value of the current member, or a bracket alone. */
  #share(isValue: boolean): void {
    const { depth } = this.#path;
    if (isValue) {
      this.#shared = Math.min(this.#shared ?? depth, depth, this.#sharedWithNext);
      this.#pointer = undefined;
    }
    this.#sharedByMarks = Math.min(this.#sharedByMarks ?? depth, depth);
  }
}

keepOptimised(new Walk(''));
