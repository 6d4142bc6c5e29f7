import { escapeBlockStarts, markdownTable } from '../../toolkit/markdown/index.ts';

/** A quote or an item of a list: what its lines begin with. */
interface Container {
  readonly owner: unknown;
  /** Before the first line of its first block. */
  first: string | undefined;
  /** Before all other lines. */
  readonly rest: string;
  /** Whether nothing before it is in the same list, or in one around it. */
  readonly isFirst: boolean;
}

/** Deeper containers are written as those at this depth. */
const MAX_DEPTH = 16;

/** Blocks of Markdown one after the other, in quotes and lists. */
export class Blocks {
  readonly #parts: string[] = [];
  readonly #containers: Container[] = [];
  count = 0;

  /** Opens a quote or an item until `leave` is called with its owner. */
  enter(owner: unknown, first: string, isFirst: boolean): void {
    const rest = first.startsWith('>') ? first : ' '.repeat(first.length);
    if (this.#containers.length < MAX_DEPTH) this.#containers.push({ owner, first, rest, isFirst });
  }

  leave(owner: unknown): void {
    if (this.#containers.at(-1)?.owner === owner) this.#containers.pop();
  }

  /** @param isNext whether it follows the block before it without an empty line */
  add(block: string, isNext = false): void {
    let [first, rest, gap] = ['', '', isNext ? '\n' : '\n\n'];
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

/** Cells that spans may add to all tables of a page, or carry from row to row. */
const MAX_SPANNED = 200_000;
/** Characters of a cell that is repeated in each row that it spans. */
const MAX_REPEATED = 200;

/** How many cells may still be added because of spans. */
export interface SpanBudget {
  cells: number;
}
export const createSpanBudget = (): SpanBudget => ({ cells: MAX_SPANNED });

/** A table; a cell that spans rows is repeated in each of them, one that spans columns is followed by empty ones. */
export class Table {
  readonly #rows: string[][] = [];
  readonly #budget: SpanBudget;
  /** By column: cells of the rows before that span the next ones. */
  #above = new Map<number, { readonly text: string; rows: number }>();
  #below = new Map<number, { readonly text: string; rows: number }>();
  #hasHeader = false;
  #isHeader = true;
  #row: string[] = [];

  constructor(budget: SpanBudget) {
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
    [this.#above, this.#below] = [this.#below, new Map()];
    const row = this.#row;
    this.#row = [];
    if (row.some((cell) => cell !== '')) {
      if (this.#rows.length === 0) this.#hasHeader = isInHead || this.#isHeader;
      this.#rows.push(row);
    }
    this.#isHeader = true;
  }

  /** Cells that rows before span come before the next one. */
  #fill(): void {
    let spanned = this.#above.get(this.#row.length);
    while (spanned !== undefined && --this.#budget.cells >= 0) {
      this.#row.push(spanned.text);
      spanned = this.#above.get(this.#row.length);
    }
  }

  /** Its lines, with an empty header if it has none. Without a header, a row or a column alone is a list of blocks. */
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
