export interface Table {
  readonly start: number;
  readonly end: number;
  /** Where the header ends; equal to `start` if there is none. */
  readonly headerEnd: number;
  /** The starts of the rows, without header rows. */
  readonly rows: readonly number[];
}

interface OpenTable {
  start: number;
  end: number;
  headerEnd: number;
  readonly rows: number[];
  readonly before: number;
  isInHead: boolean;
  rowStart: number;
  hasHeaderCell: boolean;
  hasCell: boolean;
}

/** Collects tables that do not overlap: an outer table if it has a header, otherwise the tables in it. */
export class Tables {
  readonly #text: string;
  readonly found: Table[] = [];
  readonly #open: OpenTable[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  open(start: number): void {
    this.#open.push({
      start,
      end: this.#text.length,
      headerEnd: start,
      rows: [],
      before: this.found.length,
      isInHead: false,
      rowStart: start,
      hasHeaderCell: false,
      hasCell: false,
    });
  }

  close(end: number): void {
    const table = this.#open.pop();
    if (table === undefined) return;
    table.end = end;
    const hasHeader = table.headerEnd > table.start;
    if (hasHeader) this.found.length = table.before;
    if (hasHeader || this.found.length === table.before) this.found.push(table);
  }

  openHead(): void {
    const table = this.#open.at(-1);
    if (table !== undefined) table.isInHead = true;
  }

  closeHead(end: number): void {
    const table = this.#open.at(-1);
    if (table === undefined) return;
    table.isInHead = false;
    if (table.rows.length === 0) table.headerEnd = end;
  }

  openRow(start: number): void {
    const table = this.#open.at(-1);
    if (table === undefined) return;
    table.rowStart = start;
    table.hasHeaderCell = false;
    table.hasCell = false;
  }

  cell(isHeader: boolean): void {
    const table = this.#open.at(-1);
    if (table === undefined) return;
    table.hasHeaderCell ||= isHeader;
    table.hasCell ||= !isHeader;
  }

  /** @returns whether the row is a header row: before all other rows, and in `thead` or with only `th` cells */
  closeRow(end: number): boolean {
    const table = this.#open.at(-1);
    if (table === undefined) return false;
    const { rows, isInHead, hasHeaderCell, hasCell, rowStart } = table;
    const isHeader = rows.length === 0 && (isInHead || (hasHeaderCell && !hasCell));
    if (isHeader) table.headerEnd = end;
    else rows.push(rowStart);
    return isHeader;
  }
}
