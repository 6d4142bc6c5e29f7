import type { PieceTable } from './piece-table.ts';
import type { Ranks } from './ranks.ts';
import type { Scanner } from './scanner.ts';

/** What reads the texts of one encoding. */
export interface Encoding {
  readonly scan: Scanner;
  readonly classes: Uint8Array;
  readonly ranks: Ranks;
  readonly table: PieceTable;
}

/** The tokens of `units[start, end)` as a text of its own. */
export function countPieces(
  { scan, classes, table }: Encoding,
  units: Uint16Array,
  start: number,
  end: number,
): number {
  let tokens = 0;
  for (let at = start; at < end; ) {
    const pieceEnd = scan(units, classes, at, end);
    tokens += table.count(units, at, pieceEnd);
    at = pieceEnd;
  }
  return tokens;
}
