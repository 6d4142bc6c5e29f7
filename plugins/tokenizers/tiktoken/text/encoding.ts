import type { PieceTable } from '../pieces/piece-table.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { Ranks } from '../vocabulary/ranks.ts';

/** Reads the texts of one encoding. */
export interface Encoding {
  readonly scan: Scanner;
  readonly classes: Uint8Array;
  readonly ranks: Ranks;
  readonly table: PieceTable;
}

/** The number of tokens of `units[start, end)` as a text of its own. */
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
