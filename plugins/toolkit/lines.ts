import { isBehindMark, isBlankUnit, isLineBreak } from '../../core/engine/cuts/lines.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The offset after the line break (LF, CR or both) at an offset. */
export function afterLineBreak(text: string, at: number): number {
  return text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
}

/** The start of the line before an offset; the offset itself if not only indentation precedes it on its line. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlankUnit(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) || isBehindMark(text, at) ? at : offset;
}

/** The start of the next line; `end` if no line begins before it. */
export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isLineBreak(text.charCodeAt(at))) return afterLineBreak(text, at);
  return end;
}

/** Finds the lines of a text in their order. Faster than `nextLine`, and linear: the next LF and CR are remembered. */
export class LineEnds {
  readonly #text: string;
  #lineFeed = -1;
  #carriageReturn = -1;
  /** The end of the last line, without its line break. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The start of the next line; the length of the text if there is none. Offsets of calls must not fall. */
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
