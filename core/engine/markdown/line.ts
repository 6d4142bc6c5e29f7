import { keepOptimised } from '../keep-optimised.ts';
import { BOM, GREATER, isSpace, TAB } from './letters.ts';

/**
 * The lines of a text, one after the other, and how far blocks have read into the current one. Lines end with LF, CR
 * or both. Columns count a tab up to the next multiple of four.
 */
export class Line {
  readonly #text: string;
  /** `[start, end)` without the break, and where the next line begins. */
  start = 0;
  end = 0;
  next = 0;
  /** The column read up to, and the first character after it that is not a space, with its column. */
  column = 0;
  ink = 0;
  #inkColumn = 0;
  #nextLf = -1;
  #nextCr = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Goes to the next line; there must be one. */
  read(): void {
    const text = this.#text;
    const start = this.next;
    if (this.#nextLf < start) this.#nextLf = indexOr(text, '\n', start);
    if (this.#nextCr < start) this.#nextCr = indexOr(text, '\r', start);
    const isPair = this.#nextCr + 1 === this.#nextLf;
    this.start = start;
    this.end = Math.min(this.#nextLf, this.#nextCr);
    this.next = Math.min(this.end + (isPair && this.end === this.#nextCr ? 2 : 1), text.length);
    this.column = 0;
    this.#skipSpace(start === 0 && text.charCodeAt(0) === BOM ? 1 : start);
  }

  /** The first character after the position read up to; NaN at the end of the text. */
  get unit(): number {
    return this.#text.charCodeAt(this.ink);
  }

  /** Columns of space before it. */
  get indent(): number {
    return this.#inkColumn - this.column;
  }

  get isBlank(): boolean {
    return this.ink >= this.end;
  }

  /** Skips a marker of this length. */
  consume(letters: number): void {
    this.column = this.#inkColumn + letters;
    this.#skipSpace(this.ink + letters);
  }

  /** Skips a quote marker, if one is next. */
  consumeQuote(): boolean {
    if (this.indent >= 4 || this.isBlank || this.unit !== GREATER) return false;
    this.consume(1);
    if (this.indent > 0) this.column++;
    return true;
  }

  #skipSpace(from: number): void {
    let at = from;
    let column = this.column;
    for (; at < this.end; at++) {
      const unit = this.#text.charCodeAt(at);
      if (!isSpace(unit)) break;
      column += unit === TAB ? 4 - (column % 4) : 1;
    }
    this.ink = at;
    this.#inkColumn = column;
  }
}

keepOptimised(new Line(''));

function indexOr(text: string, letter: string, from: number): number {
  const at = text.indexOf(letter, from);
  return at === -1 ? text.length : at;
}
