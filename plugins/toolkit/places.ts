import type { SourcePlace } from '../../core/contracts/reader.ts';

/**
 * The places of consecutive pages. A page without text has an empty place.
 *
 * @param starts non-decreasing offsets of the pages in UTF-16 units
 * @param length of the text in UTF-16 units
 */
export function placesOfPages(starts: readonly number[], length: number): SourcePlace[] {
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? length, page: index + 1 }));
}

const LETTERS = 26;
const BEFORE_A = 64;

/** Writes a range of cells such as `B2:D9`, or a single cell such as `B2`. Columns and rows count from 1. */
export function cellRange(left: number, top: number, right: number, bottom: number): string {
  const from = cellName(left, top);
  const to = cellName(right, bottom);
  return from === to ? from : `${from}:${to}`;
}

function cellName(column: number, row: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    letters = String.fromCharCode(BEFORE_A + 1 + ((rest - 1) % LETTERS)) + letters;
  return `${letters}${row}`;
}

export function columnNumber(letters: string): number {
  let column = 0;
  for (let at = 0; at < letters.length; at++) column = column * LETTERS + letters.charCodeAt(at) - BEFORE_A;
  return column;
}
