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
  /** Where the text begins after a line about the format, which goes with what follows; by default at once. */
  readonly from?: number | undefined;
  readonly tables: readonly Table[];
  /** Cuts a row between its cells. */
  readonly cutAtCells: CutFinder;
}

/** After the blank lines that begin at an offset, or on its line. */
export function behindBlankLines(text: string, from: number): number {
  let behind = from;
  for (let at = from; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '\n' || unit === '\r') behind = at + 1;
    else if (unit !== ' ' && unit !== '\t') return behind;
  }
  return text.length;
}

/** Where the text before an offset ends, excluding trailing line breaks. */
export function beforeBreaks(text: string, floor: number, end: number): number {
  let at = end;
  while (at > floor && isLineBreak(text.charCodeAt(at - 1))) at--;
  return at;
}
