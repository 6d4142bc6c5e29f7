import { cellRange, refusedError, type SourcePlace } from '../../../core/kit.ts';

/** UTF-16 units of a text. The cells of a small file may repeat a long string. */
const MOST_TEXT = 64 * 1024 * 1024;
/** A table may have as many blank cells for each that has text, and some more. */
const MOST_BLANK = 8;
const MORE_BLANK = 40_000;

/** Cells that follow each other in a row. */
interface Run {
  readonly column: number;
  readonly count: number;
  readonly text: string;
}

interface Row {
  readonly row: number;
  readonly runs: readonly Run[];
}

/**
 * Writes sheets as Markdown: a heading, and a table for each block of rows without a blank one. Columns without text
 * are left out. A table that would be mostly blank goes on as another one, so that cells far apart cost little.
 */
export class TableWriter {
  readonly places: SourcePlace[] = [];
  readonly #parts: string[] = [];
  #length = 0;
  /** Units of the text that is not written yet. */
  #waiting = 0;
  #sheet = '';
  #rows: Row[] = [];
  #columns = new Set<number>();
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

  /** Adds the next row, with its cells by column. */
  add(row: number, cells: ReadonlyMap<number, string>): void {
    const columns = [...cells.keys()].sort((a, b) => a - b);
    const more = columns.filter((column) => !this.#columns.has(column)).length;
    const size = (this.#rows.length + 1) * (this.#columns.size + more);
    const isTooBlank = size > MOST_BLANK * (this.#cells + columns.length) + MORE_BLANK;
    if (row !== (this.#rows.at(-1)?.row ?? 0) + 1 || isTooBlank) this.endTable();
    for (const column of columns) {
      this.#columns.add(column);
      this.#waiting += cells.get(column)?.length ?? 0;
      if (this.#length + this.#waiting > MOST_TEXT) throw tooLong();
    }
    this.#cells += columns.length;
    this.#rows.push({ row, runs: runsOf(columns, cells) });
  }

  endTable(): void {
    const columns = [...this.#columns].sort((a, b) => a - b);
    const indexes = new Map(columns.map((column, index) => [column, index]));
    for (const [at, { row, runs }] of this.#rows.entries()) {
      this.#put(at === 0 ? '\n\n' : '\n');
      const [first, last] = [runs[0], runs.at(-1)] as [Run, Run];
      const cells = cellRange(first.column, row, last.column + last.count - 1, row);
      this.#put(lineOf(runs, indexes), { sheet: this.#sheet, cells });
      if (at === 0) this.#put(`\n|${' - |'.repeat(columns.length)}`);
    }
    this.#rows = [];
    this.#columns = new Set();
    this.#cells = 0;
    this.#waiting = 0;
  }

  #put(text: string, position?: Pick<SourcePlace, 'sheet' | 'cells'>): void {
    const start = this.#length;
    this.#length += text.length;
    if (this.#length > MOST_TEXT) throw tooLong();
    this.#parts.push(text);
    if (position !== undefined) this.places.push({ start, end: this.#length, ...position });
  }
}

/** As one string each, because it takes less memory than one for each cell. */
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
  return refusedError(`The file cannot be read: it has more than ${MOST_TEXT} characters of text.`);
}
