import type { Outline } from '../../../core/contracts/structure.ts';
import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { behindBlankLines, type Table } from './layout.ts';

/** Ranks: around tables, and where `rows_per_chunk` is reached; else between rows. */
export const BETWEEN_TABLES = 0;
const BETWEEN_ROWS = 1;

/**
 * Edges before and behind tables, and between their rows; the header goes with the row behind it. White space between two
 * tables, or before the first, makes no piece of its own.
 *
 * @param rowsPerChunk the rows after which a chunk begins
 */
export function outlineOf(text: string, tables: readonly Table[], rowsPerChunk: number | undefined): Outline {
  const edges = [0];
  const ranks = [BETWEEN_TABLES];
  let last = 0;
  const add = (edge: number, rank: number) => {
    if (edge <= last || edge >= text.length) return;
    edges.push(edge);
    ranks.push(rank);
    last = edge;
  };
  for (const { start, end, rows, headerRows } of tables) {
    if (text.slice(last, start).trim() !== '') add(start, BETWEEN_TABLES);
    for (let row = headerRows + 1; row < rows.length; row++) {
      const isFull = rowsPerChunk !== undefined && (row - headerRows) % rowsPerChunk === 0;
      add(rows[row] as number, isFull ? BETWEEN_TABLES : BETWEEN_ROWS);
    }
    add(behindBlankLines(text, end), BETWEEN_TABLES);
  }
  edges.push(text.length);
  ranks.push(BETWEEN_TABLES);
  return { edges, ranks };
}

/** Finds the table that offsets and stretches lie in. */
export class TableIndex {
  readonly #tables: readonly Table[];
  readonly #starts: readonly number[];

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
    this.#starts = tables.map(({ start }) => start);
  }

  at(offset: number): Table | undefined {
    const table = this.#tables[countUpTo(this.#starts, offset) - 1];
    return table !== undefined && offset < table.end ? table : undefined;
  }

  /** The first and the last row that a stretch holds something of, from 1; nothing if it holds none, or of several tables. */
  rowsIn(start: number, end: number): readonly [first: number, last: number] | undefined {
    const before = countUpTo(this.#starts, end - 1);
    const table = this.#tables[before - 1];
    if (table === undefined || start >= table.end) return undefined;
    const other = this.#tables[before - 2];
    if (other !== undefined && start < other.end) return undefined;
    const { rows, headerRows } = table;
    const last = countUpTo(rows, end - 1) - headerRows;
    return last < 1 ? undefined : [Math.max(countUpTo(rows, start) - headerRows, 1), last];
  }
}

keepOptimised(new TableIndex([]));
