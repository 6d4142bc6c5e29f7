import { isBehindMark, isBlankUnit, isLineBreak } from '../../core/engine/cuts/lines.ts';

/** Lines that end with LF, CR or both. */

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** After the line break at an offset, whichever kind it is. */
export function afterLineBreak(text: string, at: number): number {
  return text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
}

/** Where the indentation before an offset begins; the offset itself if there is more before it on its line. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlankUnit(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) || isBehindMark(text, at) ? at : offset;
}

/** Where the line after the one at an offset begins; `end` if none begins before it. */
export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isLineBreak(text.charCodeAt(at))) return afterLineBreak(text, at);
  return end;
}

/**
 * The lines of a text in their order. Searching for their ends is faster than reading up to them as `nextLine` does,
 * and takes linear time because it remembers where it found them.
 */
export class LineEnds {
  readonly #text: string;
  #lineFeed = -1;
  #carriageReturn = -1;
  /** Where the last line ends, without its break. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the line after the one at an offset begins; the length of the text if there is none. Offsets must not fall. */
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
