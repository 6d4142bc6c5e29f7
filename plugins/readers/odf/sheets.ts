import { refusedError } from '../../../core/kit.ts';
import { escapeCell } from '../../toolkit/markdown/index.ts';
import { type SheetRow, SheetTables } from '../../toolkit/office/index.ts';
import { allBelow, countOf, type Element, elementsOf, textBelow } from './tree.ts';

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** Maximum cells with text that repeat others, in all sheets. Cells beyond are written once and counted. */
const MAX_REPEATED = 200_000;
const SHAPE =
  /^(?:frame|custom-shape|rect|line|polyline|polygon|path|circle|ellipse|g|connector|caption|control)$/;

/** Reads the rows of the sheets, and writes them as tables. */
export class SheetWriter {
  readonly tables = new SheetTables();
  hiddenSheets = 0;
  readonly #countLeftOut: (kind: string, count?: number) => void;
  #sheet = { name: '', isHidden: false, hasText: false };
  #row = 0;
  readonly #repeats: { left: number };

  /** @param repeats the repeated cells that all sheets of a file may have; embedded sheets share the number */
  constructor(countLeftOut: (kind: string, count?: number) => void, repeats = { left: MAX_REPEATED }) {
    this.#countLeftOut = countLeftOut;
    this.#repeats = repeats;
  }

  /** A writer for sheets within the file. */
  embedded(): SheetWriter {
    return new SheetWriter(this.#countLeftOut, this.#repeats);
  }

  text(): string {
    this.tables.endTable();
    return this.tables.text;
  }

  /** @param name without one, the sheet has no heading */
  startSheet(name: string, isHidden: boolean): void {
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
      if (count > 0) this.#repeats.left -= cells.size;
      if (this.#repeats.left < 0) {
        this.#countLeftOut('repeated_cell', (repeated - count) * cells.size);
        this.#repeats.left = 0;
        this.#row += repeated - count;
        return;
      }
      this.#addRow({ number: ++this.#row, cells, hasNumbers: hasNumbers(element) });
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
        const allowed = Math.min(repeated, this.#repeats.left + 1);
        this.#repeats.left -= allowed - 1;
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
    return escapeCell(text.toWellFormed());
  }

  #line({ name, attributes, children }: Element): string {
    if (name === 's') return ' '.repeat(countOf(attributes['text:c'], MAX_SPACES));
    if (name === 'tab' || name === 'line-break') return ' ';
    if (name === 'annotation' || name === 'ruby-text') return '';
    return children.map((child) => (typeof child === 'string' ? child : this.#line(child))).join('');
  }

  #addRow(row: SheetRow): void {
    const { name, isHidden, hasText } = this.#sheet;
    if (!hasText) {
      this.#sheet.hasText = true;
      if (isHidden) this.hiddenSheets++;
      if (name === '') this.tables.endTable();
      else this.tables.startSheet(name);
    }
    this.tables.add(row);
  }
}

const hasNumbers = (row: Element): boolean =>
  elementsOf(row).some(({ attributes }) => {
    const type = attributes['office:value-type'];
    return type !== undefined && type !== 'string';
  });

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
