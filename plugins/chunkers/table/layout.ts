import { type CutFinder, isLineBreak } from '../../../core/kit.ts';

/** A table of a text; offsets are in UTF-16 units. */
export interface Table {
  readonly start: number;
  readonly end: number;
  /**
   * Where its rows begin, including the header's; the first one begins with the table itself. There is at least one.
   */
  readonly rows: readonly number[];
  /** How many of the rows are the header, according to the format. */
  readonly headerRows: number;
}

/** The tables of a text, in order; everything between them is text. */
export interface Layout {
  /** The description of the format in the response. */
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

/** After the blank lines that begin at an offset, or on its line. */
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

/** Where the indentation before an offset begins; the offset itself if there is more before it on its line. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlank(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) ? at : offset;
}

/** Where the text before an offset ends, excluding trailing line breaks. */
export function beforeBreaks(text: string, floor: number, end: number): number {
  let at = end;
  while (at > floor && isLineBreak(text.charCodeAt(at - 1))) at--;
  return at;
}
