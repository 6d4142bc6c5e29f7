import { type Factory, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { delimiterRow } from '../../toolkit/markdown/index.ts';
import { cellRange } from '../../toolkit/places.ts';
import type manifest from './manifest.ts';
import { openWorkbook, type Sheet } from './workbook.ts';

const createXlsxReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const { sheets, title, metadata } = openWorkbook(bytes);
    const writer = new TableWriter();
    const withText = new Set<Sheet>();
    for (const sheet of sheets) {
      signal.throwIfAborted();
      sheet.forEachRow((row, cells) => {
        if (!withText.has(sheet)) writer.startSheet(sheet.name);
        withText.add(sheet);
        writer.add(row, cells);
      });
    }
    writer.endTable();
    const hidden = [...withText].filter(({ isHidden }) => isHidden).length;
    if (hidden > 0) report('hidden-sheets', String(hidden));
    const { text, places } = writer;
    return { text, places, mediaType: 'text/markdown', title, metadata };
  },
});

export default createXlsxReader;

/** Maximum UTF-16 units of the text: the cells of a small file may repeat a long string. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Maximum blank cells of a table: `MAX_BLANK` for each cell with text, plus `MORE_BLANK`. */
const MAX_BLANK = 8;
const MORE_BLANK = 40_000;

interface Run {
  readonly column: number;
  readonly count: number;
  readonly text: string;
}

interface Row {
  readonly row: number;
  readonly runs: readonly Run[];
}

/** Maximum rows held until the table's columns are known. A later row with a new column begins a table. */
const MAX_WAITING = 10_000;

/**
 * Writes each sheet as a heading and a table for each block of rows. Blank rows separate blocks. Columns
 * without text are left out. A mostly blank table is divided, so that distant cells do not cost many tokens.
 */
class TableWriter {
  readonly places: SourcePlace[] = [];
  readonly #parts: string[] = [];
  #length = 0;
  #sheet = '';
  #row = 0;
  #waiting: Row[] = [];
  #waitingLength = 0;
  #columns = new Map<number, number>();
  #hasHead = false;
  #rows = 0;
  #cells = 0;

  get text(): string {
    return this.#parts.join('');
  }

  startSheet(name: string): void {
    this.endTable();
    this.#sheet = name;
    this.#put(this.#length === 0 ? '## ' : '\n\n## ');
    this.#put(name.trim().replace(/[\r\n]+/g, ' '), { sheet: name });
  }

  add(row: number, cells: ReadonlyMap<number, string>): void {
    const columns = [...cells.keys()].sort((a, b) => a - b);
    const more = columns.filter((column) => !this.#columns.has(column)).length;
    const size = (this.#rows + 1) * (this.#columns.size + more);
    const isTooBlank = size > MAX_BLANK * (this.#cells + columns.length) + MORE_BLANK;
    if (row !== this.#row + 1 || isTooBlank || (this.#hasHead && more > 0)) this.endTable();
    for (const column of columns) {
      if (!this.#columns.has(column)) this.#columns.set(column, 0);
      this.#waitingLength += cells.get(column)?.length ?? 0;
      if (this.#length + this.#waitingLength > MAX_TEXT) throw tooLong();
    }
    this.#row = row;
    this.#rows++;
    this.#cells += columns.length;
    this.#waiting.push({ row, runs: runsOf(columns, cells) });
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

  #write(): void {
    if (!this.#hasHead) {
      const columns = [...this.#columns.keys()].sort((a, b) => a - b);
      this.#columns = new Map(columns.map((column, index) => [column, index]));
    }
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

/** Joins adjacent cells, because one string per run takes less memory than one per cell. */
function runsOf(columns: readonly number[], cells: ReadonlyMap<number, string>): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let at = 1; at <= columns.length; at++) {
    if (columns[at] === (columns[at - 1] as number) + 1) continue;
    const text = columns.slice(from, at).map((column) => cells.get(column));
    runs.push({ column: columns[from] as number, count: at - from, text: text.join(' | ') });
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
