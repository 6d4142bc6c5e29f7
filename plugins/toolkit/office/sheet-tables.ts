import type { SourcePlace } from '../../../core/contracts/reader.ts';
import { refusedError } from '../../../core/errors.ts';
import { delimiterRow, escapeBlockStarts } from '../markdown/index.ts';
import { cellRange } from '../places.ts';

/** Maximum UTF-16 units of the text: the cells of a small file may repeat a long string. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Maximum blank cells of a table: `MAX_BLANK` for each cell with text, plus `MORE_BLANK`. */
const MAX_BLANK = 8;
const MORE_BLANK = 40_000;

export interface SheetRow {
  /** Counted from 1. */
  readonly number: number;
  /** Texts by column, counted from 1, escaped for a Markdown table. */
  readonly cells: ReadonlyMap<number, string>;
  /** Whether a cell is not text, as in the rows below the head of a table. */
  readonly hasNumbers: boolean;
}

interface Run {
  readonly column: number;
  readonly count: number;
  readonly text: string;
}

interface WaitingRow {
  readonly row: number;
  readonly runs: readonly Run[];
  readonly hasNumbers: boolean;
}

/** Maximum rows held until the table's columns are known. A later row with a new column begins a table. */
const MAX_WAITING = 10_000;

/** Maximum rows above a table that are its title: rows with a single cell each. */
const MAX_TITLES = 5;

/**
 * Writes each sheet as a heading and a table for each block of rows, below its titles. Blank rows separate blocks,
 * but a single one does not part a table from rows that go on below its head. Columns without text are left out. A
 * mostly blank table is divided, so that distant cells do not cost many tokens.
 */
export class SheetTables {
  readonly places: SourcePlace[] = [];
  readonly #parts: string[] = [];
  #length = 0;
  #sheet = '';
  #row = 0;
  #waiting: WaitingRow[] = [];
  #waitingLength = 0;
  #columns = new Map<number, number>();
  #hasHead = false;
  /** Whether the first row of the table has only text, as the names of columns are. */
  #isHeadText = false;
  /** Whether the next block has several columns, so that single cells above it are its titles. */
  #isAboveTable = false;
  #rows = 0;
  #cells = 0;

  get text(): string {
    return this.#parts.join('');
  }

  startSheet(name: string): void {
    this.#isAboveTable = false;
    this.endTable();
    this.#sheet = name;
    this.#put(this.#length === 0 ? '## ' : '\n\n## ');
    this.#put(name.trim().replace(/[\r\n]+/g, ' '), { sheet: name });
  }

  add({ number: row, cells, hasNumbers }: SheetRow): void {
    const columns = sorted(cells);
    let more = 0;
    for (const column of columns) if (!this.#columns.has(column)) more++;
    const size = (this.#rows + 1) * (this.#columns.size + more);
    const isTooBlank = size > MAX_BLANK * (this.#cells + columns.length) + MORE_BLANK;
    const isNext =
      row === this.#row + 1 || (row === this.#row + 2 && more === 0 && hasNumbers && this.#goesOn());
    this.#isAboveTable = columns.length > 1;
    if (!isNext || isTooBlank || (this.#hasHead && more > 0)) this.endTable();
    for (const column of columns) {
      if (!this.#columns.has(column)) this.#columns.set(column, 0);
      this.#waitingLength += cells.get(column)?.length ?? 0;
      if (this.#length + this.#waitingLength > MAX_TEXT) throw tooLong();
    }
    this.#row = row;
    this.#rows++;
    this.#cells += columns.length;
    this.#waiting.push({ row, runs: runsOf(columns, cells), hasNumbers });
    if (this.#waiting.length === MAX_WAITING) this.#write();
  }

  endTable(): void {
    this.#write();
    this.#columns = new Map();
    this.#hasHead = false;
    this.#rows = 0;
    this.#cells = 0;
    this.#row = 0;
  }

  /** Whether rows below a blank one belong to the table: its columns have names. */
  #goesOn(): boolean {
    const head = this.#waiting[this.#titles()];
    return this.#columns.size > 1 && (this.#hasHead ? this.#isHeadText : head?.hasNumbers === false);
  }

  /** Counts the waiting rows that are titles: with one cell each, above rows with more. */
  #titles(): number {
    const isSingle = (row: WaitingRow | undefined): boolean =>
      row?.runs.length === 1 && row.runs[0]?.count === 1;
    if (this.#waiting.length === 1) return isSingle(this.#waiting[0]) ? 1 : 0;
    const titles = this.#waiting.slice(0, MAX_TITLES + 1).findIndex((row) => !isSingle(row));
    if (titles === -1 && this.#isAboveTable && this.#waiting.length <= MAX_TITLES)
      return this.#waiting.length;
    return titles === -1 || isSingle(this.#waiting[titles + 1]) ? 0 : titles;
  }

  #writeTitles(): void {
    for (const { row, runs } of this.#waiting.splice(0, this.#titles())) {
      const { column, text } = runs[0] as Run;
      this.#put('\n\n');
      this.#put(escapeBlockStarts(text), { sheet: this.#sheet, cells: cellRange(column, row, column, row) });
    }
    const columns = new Set<number>();
    for (const { runs } of this.#waiting)
      for (const { column, count } of runs) for (let at = 0; at < count; at++) columns.add(column + at);
    const rising = [...columns].sort((a, b) => a - b);
    this.#columns = new Map(rising.map((column, index) => [column, index]));
    this.#isHeadText = this.#waiting[0]?.hasNumbers === false;
  }

  #write(): void {
    if (!this.#hasHead) this.#writeTitles();
    const written: string[] = [];
    for (const { row, runs } of this.#waiting) {
      this.#put(this.#hasHead ? '\n' : '\n\n', undefined, written);
      const first = runs[0] as Run;
      const last = runs.at(-1) as Run;
      const cells = cellRange(first.column, row, last.column + last.count - 1, row);
      this.#put(lineOf(runs, this.#columns), { sheet: this.#sheet, cells }, written);
      if (!this.#hasHead) this.#put(`\n${delimiterRow(this.#columns.size)}`, undefined, written);
      this.#hasHead = true;
    }
    this.#parts.push(written.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  #put(text: string, position?: Pick<SourcePlace, 'sheet' | 'cells'>, parts = this.#parts): void {
    const start = this.#length;
    this.#length += text.length;
    if (this.#length > MAX_TEXT) throw tooLong();
    parts.push(text);
    if (position !== undefined) this.places.push({ start, end: this.#length, ...position });
  }
}

/** The columns of a row, which files have in this order as a rule. */
function sorted(cells: ReadonlyMap<number, string>): number[] {
  const columns = [...cells.keys()];
  const isSorted = columns.every((column, at) => at === 0 || column > (columns[at - 1] as number));
  return isSorted ? columns : columns.sort((a, b) => a - b);
}

/** Joins adjacent cells, because one string per run takes less memory than one per cell. */
function runsOf(columns: readonly number[], cells: ReadonlyMap<number, string>): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let at = 1; at <= columns.length; at++) {
    if (columns[at] === (columns[at - 1] as number) + 1) continue;
    let text = cells.get(columns[from] as number) as string;
    for (let one = from + 1; one < at; one++) text += ` | ${cells.get(columns[one] as number)}`;
    runs.push({ column: columns[from] as number, count: at - from, text });
    from = at;
  }
  return runs;
}

function lineOf(runs: readonly Run[], indexes: ReadonlyMap<number, number>): string {
  let line = '|';
  let written = 0;
  for (const { column, count, text } of runs) {
    const index = indexes.get(column) as number;
    line += `${' |'.repeat(index - written)} ${text} |`;
    written = index + count;
  }
  return `${line}${' |'.repeat(indexes.size - written)}`;
}

function tooLong(): Error {
  return refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
}
