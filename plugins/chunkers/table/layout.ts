import { type CutFinder, isLineBreak } from '../../../core/kit.ts';

export interface Table {
  readonly start: number;
  readonly end: number;
  /** The starts of all rows with those of the header, at least one; the first row begins with the table. */
  readonly rows: readonly number[];
  readonly headerRows: number;
}

export interface Layout {
  readonly dialect: string;
  /** The start of the text after a line about the format; by default the start of the text. */
  readonly from?: number | undefined;
  readonly tables: readonly Table[];
  readonly cutAtCells: CutFinder;
}

/** The end of the blank lines at an offset, or of the rest of its line. */
export function behindBlankLines(text: string, from: number): number {
  let behind = from;
  for (let at = from; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '\n' || unit === '\r') behind = at + 1;
    else if (unit !== ' ' && unit !== '\t') return behind;
  }
  return text.length;
}

/** The end of the text before an offset, without line breaks. */
export function beforeBreaks(text: string, floor: number, end: number): number {
  let at = end;
  while (at > floor && isLineBreak(text.charCodeAt(at - 1))) at--;
  return at;
}
