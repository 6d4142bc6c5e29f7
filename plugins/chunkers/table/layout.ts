import { type CutFinder, isLineBreak } from '../../../core/kit.ts';

/** A table of a text; offsets are in UTF-16 units. */
export interface Table {
  readonly start: number;
  readonly end: number;
  /** Where its rows begin, those of the header included; the first with the table itself. There is at least one. */
  readonly rows: readonly number[];
  /** How many of the rows are the header, as the format says. */
  readonly headerRows: number;
}

/** The tables of a text, in its order; what stands between them is text. */
export interface Layout {
  /** What the response says of the format. */
  readonly dialect: string;
  readonly tables: readonly Table[];
  /** Cuts a row between its cells. */
  readonly cutAtCells: CutFinder;
}

const TAB = 9;
const SPACE = 32;

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

/** Behind the blank lines that begin at an offset, or on its line. */
export function behindBlankLines(text: string, from: number): number {
  let behind = from;
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isLineBreak(unit)) behind = at + 1;
    else if (!isBlank(unit)) return behind;
    at++;
  }
  return text.length;
}

/** Where a line's indentation begins before an offset; the offset itself if there is more before it on its line. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlank(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) ? at : offset;
}

/** Where the text before an offset ends without the line breaks at its end. */
export function beforeBreaks(text: string, floor: number, end: number): number {
  let at = end;
  while (at > floor && isLineBreak(text.charCodeAt(at - 1))) at--;
  return at;
}
