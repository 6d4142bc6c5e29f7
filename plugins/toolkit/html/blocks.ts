import { escapeBlockStarts, markdownTable } from '../markdown/index.ts';

interface Container {
  readonly owner: unknown;
  /** The prefix of the container's first line; undefined once that line is written. */
  first: string | undefined;
  /** The prefix of all later lines of the container. */
  readonly rest: string;
  /** Whether an empty line precedes the container: it is a quote, or begins the outermost list. */
  readonly isFirst: boolean;
}

/** Containers that are nested deeper are written at this depth. */
const MAX_DEPTH = 16;

export class Blocks {
  readonly #parts: string[] = [];
  readonly #containers: Container[] = [];
  count = 0;

  /** Opens a quote or list item. `leave` with the same owner closes it. */
  enter(owner: unknown, first: string, isFirst: boolean): void {
    const rest = first.startsWith('>') ? first : ' '.repeat(first.length);
    if (this.#containers.length < MAX_DEPTH) this.#containers.push({ owner, first, rest, isFirst });
  }

  leave(owner: unknown): void {
    if (this.#containers.at(-1)?.owner === owner) this.#containers.pop();
  }

  /** @param isNext whether no empty line separates the block from the previous one */
  add(block: string, isNext = false): void {
    let first = '';
    let rest = '';
    let gap = isNext ? '\n' : '\n\n';
    for (const container of this.#containers) {
      if (container.first !== undefined && !container.isFirst) gap = '\n';
      first += container.first ?? container.rest;
      rest += container.rest;
      container.first = undefined;
    }
    if (this.count++ > 0) this.#parts.push(gap);
    const bare = rest.trimEnd();
    const lines =
      rest === '' ? block : block.replace(/\n(?=(\n?))/g, (_, empty) => `\n${empty === '' ? rest : bare}`);
    this.#parts.push(first, lines);
  }

  text(): string {
    return this.#parts.join('');
  }
}

/** Maximum cells that spans may add to all tables of a page. */
export const MAX_SPANNED = 200_000;
/** Maximum UTF-16 units of a cell that is repeated in each row that it spans. */
const MAX_REPEATED = 200;

/** A cell that spans rows is repeated in each of its rows. A cell that spans columns precedes empty cells. */
export class Table {
  readonly #rows: string[][] = [];
  readonly #budget: { cells: number };
  #above = new Map<number, { readonly text: string; rows: number }>();
  #below = new Map<number, { readonly text: string; rows: number }>();
  #hasHeader = false;
  #isHeader = true;
  #row: string[] = [];

  /** @param budget the number of cells that spans may still add, shared by all tables of a page */
  constructor(budget: { cells: number }) {
    this.#budget = budget;
  }

  cell(
    text: string,
    spans: { readonly columns: number; readonly rows: number; readonly isHeader: boolean },
  ): void {
    this.#fill();
    this.#isHeader &&= spans.isHeader;
    for (let count = 0; count < Math.max(spans.columns, 1); count++) {
      if (count > 0 && --this.#budget.cells < 0) break;
      const written = count === 0 ? text : '';
      const repeated = text.length > MAX_REPEATED ? '' : written;
      if (spans.rows > 1 && --this.#budget.cells >= 0)
        this.#below.set(this.#row.length, { text: repeated, rows: spans.rows - 1 });
      this.#row.push(written);
    }
  }

  endRow(isInHead: boolean): void {
    this.#fill();
    for (const [column, { text, rows }] of this.#above)
      if (rows > 1 && !this.#below.has(column) && --this.#budget.cells >= 0)
        this.#below.set(column, { text, rows: rows - 1 });
    this.#above = this.#below;
    this.#below = new Map();
    const row = this.#row;
    this.#row = [];
    if (row.some((cell) => cell !== '')) {
      if (this.#rows.length === 0) this.#hasHeader = isInHead || this.#isHeader;
      this.#rows.push(row);
    }
    this.#isHeader = true;
  }

  #fill(): void {
    let spanned = this.#above.get(this.#row.length);
    while (spanned !== undefined && --this.#budget.cells >= 0) {
      this.#row.push(spanned.text);
      spanned = this.#above.get(this.#row.length);
    }
  }

  /** The table as one block. A single row or column without a header becomes one block per cell. */
  written(): readonly string[] {
    const width = this.#rows.reduce((most, { length }) => Math.max(most, length), 0);
    const isPlain = !this.#hasHeader && (width === 1 || this.#rows.length === 1);
    if (isPlain)
      return this.#rows
        .flat()
        .filter((cell) => cell !== '')
        .map(escapeBlockStarts);
    return this.#rows.length === 0 ? [] : [markdownTable(this.#rows, this.#hasHeader ? undefined : [])];
  }
}
