import { refusedError, type SourcePlace } from '../../../core/kit.ts';
import { delimiterRow, escapeBlockStarts, escapeCell, tableRow } from '../../toolkit/markdown/index.ts';
import { cellRange } from '../../toolkit/places.ts';
import { allBelow, countOf, type Element, elementsOf, textBelow } from './tree.ts';

/** Maximum UTF-16 units of the text. */
export const MAX_TEXT = 64 * 1024 * 1024;
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** Maximum cells with text that repeat others, in all sheets. Cells beyond are written once and counted. */
const MAX_REPEATED = 200_000;
/** Maximum rows held until the columns of a table are known. */
const MAX_WAITING = 10_000;
/** Maximum blank cells of a table: `MAX_BLANK` for each cell with text, plus `MORE_BLANK`. */
const MAX_BLANK = 8;
const MORE_BLANK = 40_000;
const SHAPE =
  /^(?:frame|custom-shape|rect|line|polyline|polygon|path|circle|ellipse|g|connector|caption|control)$/;

interface Row {
  readonly row: number;
  readonly cells: ReadonlyMap<number, string>;
}

/** Writes each sheet as a heading and a table for each block of rows. Blank rows separate blocks. */
export class SheetWriter {
  readonly places: SourcePlace[] = [];
  hiddenSheets = 0;
  readonly #countLeftOut: (kind: string, count?: number) => void;
  readonly #parts: string[] = [];
  #length = 0;
  #sheet = { name: '', isHidden: false, hasText: false };
  #row = 0;
  #repeats = MAX_REPEATED;
  #waiting: Row[] = [];
  #columns = new Set<number>();
  #cells = 0;

  constructor(countLeftOut: (kind: string, count?: number) => void) {
    this.#countLeftOut = countLeftOut;
  }

  text(): string {
    this.#endTable();
    return this.#parts.join('');
  }

  startSheet(name: string, isHidden: boolean): void {
    this.#endTable();
    this.#sheet = { name: name.toWellFormed(), isHidden, hasText: false };
    this.#row = 0;
  }

  /** Counts the shapes of a sheet that are not read. */
  leaveOut(shapes: Element): void {
    if (textBelow(shapes).trim() !== '') this.#countLeftOut('text_box');
    const objects = allBelow(shapes, 'object').length;
    if (objects > 0) this.#countLeftOut('chart', objects);
  }

  /** Adds an element `table-row`. */
  add(element: Element): void {
    const repeated = countOf(element.attributes['table:number-rows-repeated'], MAX_ROWS);
    const cells = this.#cellsOf(element);
    for (let count = 0; count < repeated && cells.size > 0; count++) {
      if (count > 0) this.#repeats -= cells.size;
      if (this.#repeats < 0) {
        this.#countLeftOut('repeated_cell', (repeated - count) * cells.size);
        this.#repeats = 0;
        this.#row += repeated - count;
        return;
      }
      this.#addRow(++this.#row, cells);
    }
    if (cells.size === 0) this.#row += repeated;
    if (this.#row > MAX_ROWS) throw refusedError('The file cannot be read: it is damaged (too many rows).');
  }

  #cellsOf(row: Element): Map<number, string> {
    const cells = new Map<number, string>();
    let column = 0;
    for (const cell of elementsOf(row)) {
      if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
      const repeated = countOf(cell.attributes['table:number-columns-repeated'], MAX_COLUMNS);
      const text = this.#textOf(cell);
      if (text !== '') {
        const allowed = Math.min(repeated, this.#repeats + 1);
        this.#repeats -= allowed - 1;
        if (allowed < repeated) this.#countLeftOut('repeated_cell', repeated - allowed);
        for (let count = 1; count <= allowed; count++) cells.set(column + count, text);
      }
      column += repeated;
      if (column > MAX_COLUMNS)
        throw refusedError('The file cannot be read: it is damaged (too many columns).');
    }
    return cells;
  }

  #textOf(cell: Element): string {
    const texts: string[] = [];
    for (const child of elementsOf(cell)) {
      if (child.name === 'p') texts.push(this.#line(child));
      else if (child.name === 'annotation') this.#countLeftOut('comment');
      else if (SHAPE.test(child.name)) this.leaveOut(child);
    }
    const shown = texts.join(' ').trim();
    const text = shown === '' ? valueOfCell(cell) : shown;
    const hasFormula = cell.attributes['table:formula'] !== undefined;
    if (text === '' && hasFormula && cell.attributes['office:value-type'] === undefined)
      this.#countLeftOut('formula_without_value');
    return text.toWellFormed();
  }

  #line({ name, attributes, children }: Element): string {
    if (name === 's') return ' '.repeat(countOf(attributes['text:c'], MAX_SPACES));
    if (name === 'tab' || name === 'line-break') return ' ';
    if (name === 'annotation' || name === 'ruby-text') return '';
    return children.map((child) => (typeof child === 'string' ? child : this.#line(child))).join('');
  }

  #addRow(row: number, cells: ReadonlyMap<number, string>): void {
    const more = [...cells.keys()].filter((column) => !this.#columns.has(column));
    const size = (this.#waiting.length + 1) * (this.#columns.size + more.length);
    const isTooBlank = size > MAX_BLANK * (this.#cells + cells.size) + MORE_BLANK;
    const isNext = this.#waiting.at(-1)?.row === row - 1;
    if (!isNext || isTooBlank || this.#waiting.length === MAX_WAITING) this.#endTable();
    for (const column of cells.keys()) this.#columns.add(column);
    this.#cells += cells.size;
    this.#waiting.push({ row, cells });
  }

  #endTable(): void {
    const rows = this.#waiting;
    const columns = [...this.#columns].sort((a, b) => a - b);
    this.#waiting = [];
    this.#columns = new Set();
    this.#cells = 0;
    if (rows.length === 0) return;
    this.#headSheet();
    // Single cells above a wider row are titles: as the header of the table they would name one column.
    const isWide = columns.length > 1;
    const found = isWide ? rows.findIndex(({ cells }) => cells.size > 1) : -1;
    const head = Math.max(found, 0);
    for (const [index, row] of rows.entries()) {
      const texts = columns.map((column) => row.cells.get(column) ?? '');
      const isTitle = index < head;
      this.#put(isTitle || index <= head ? '\n\n' : '\n');
      const title = texts.find((text) => text !== '') ?? '';
      this.#put(isTitle ? escapeBlockStarts(escapeCell(title)) : tableRow(texts), row);
      if (index === head) this.#put(`\n${delimiterRow(columns.length)}`);
    }
  }

  #headSheet(): void {
    if (this.#sheet.hasText) return;
    this.#sheet.hasText = true;
    if (this.#sheet.isHidden) this.hiddenSheets++;
    this.#put(this.#length === 0 ? '## ' : '\n\n## ');
    const start = this.#length;
    this.#put(this.#sheet.name.trim().replace(/[\r\n]+/g, ' '));
    this.places.push({ start, end: this.#length, sheet: this.#sheet.name });
  }

  #put(text: string, row?: Row): void {
    const start = this.#length;
    this.#length += text.length;
    if (this.#length > MAX_TEXT)
      throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    this.#parts.push(text);
    if (row === undefined) return;
    const columns = [...row.cells.keys()];
    const cells = cellRange(columns[0] as number, row.row, columns.at(-1) as number, row.row);
    this.places.push({ start, end: this.#length, sheet: this.#sheet.name, cells });
  }
}

const MAX_SPACES = 100;
const TIME = /^(-?)PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?$/;

/** The value of a cell without a text, as some programs write them. */
function valueOfCell({ attributes }: Element): string {
  const type = attributes['office:value-type'];
  if (type === 'percentage') return `${Number((Number(attributes['office:value']) * 100).toPrecision(15))}%`;
  if (type === 'boolean') return (attributes['office:boolean-value'] ?? '').toUpperCase();
  if (type === 'date') return (attributes['office:date-value'] ?? '').replace('T', ' ');
  if (type === 'string') return attributes['office:string-value'] ?? '';
  if (type === 'time') {
    const [, sign = '', ...parts] = TIME.exec(attributes['office:time-value'] ?? '') ?? [];
    return parts.length === 0 ? '' : sign + parts.map((part = '0') => part.padStart(2, '0')).join(':');
  }
  return type === undefined ? '' : (attributes['office:value'] ?? '');
}
