import { isBehindMark, isBlankUnit, isLineBreak } from '../../core/engine/cuts/lines.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The offset after the line break (LF, CR or CR LF) that begins at `at`. */
export function afterLineBreak(text: string, at: number): number {
  return text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
}

/** The start of the line if there is only indentation before the offset; otherwise the offset itself. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlankUnit(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) || isBehindMark(text, at) ? at : offset;
}

export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isLineBreak(text.charCodeAt(at))) return afterLineBreak(text, at);
  return end;
}

/** Finds the lines of a text in order. Takes linear time, because it remembers the next LF and the next CR. */
export class LineEnds {
  readonly #text: string;
  #lineFeed = -1;
  #carriageReturn = -1;
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The start of the line after `from`, or the length of the text. `from` must not decrease between calls. */
  next(from: number): number {
    const text = this.#text;
    if (this.#lineFeed < from) this.#lineFeed = indexOr(text, '\n', from);
    if (this.#carriageReturn < from) this.#carriageReturn = indexOr(text, '\r', from);
    const isPair = this.#carriageReturn + 1 === this.#lineFeed;
    this.end = Math.min(this.#lineFeed, this.#carriageReturn);
    return Math.min(this.end + (isPair ? 2 : 1), text.length);
  }
}

function indexOr(text: string, letter: string, from: number): number {
  const at = text.indexOf(letter, from);
  return at === -1 ? text.length : at;
}
