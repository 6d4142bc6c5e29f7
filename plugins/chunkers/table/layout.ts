import { type CutFinder, isLineBreak } from '../../../core/kit.ts';

export interface Table {
  readonly start: number;
  readonly end: number;
  /** Starts of all rows, including header rows; at least one. The first row begins with the table. */
  readonly rows: readonly number[];
  readonly headerRows: number;
}

export interface Layout {
  readonly dialect: string;
  /** Start of the text after a first line about the format, such as `sep=;`; default 0. */
  readonly from?: number | undefined;
  readonly tables: readonly Table[];
  readonly cutAtCells: CutFinder;
}

/** Skips blank lines, and the rest of the line at `from` if that rest is blank. */
export function behindBlankLines(text: string, from: number): number {
  let behind = from;
  for (let at = from; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '\n' || unit === '\r') behind = at + 1;
    else if (unit !== ' ' && unit !== '\t') return behind;
  }
  return text.length;
}

export function beforeBreaks(text: string, floor: number, end: number): number {
  let at = end;
  while (at > floor && isLineBreak(text.charCodeAt(at - 1))) at--;
  return at;
}
