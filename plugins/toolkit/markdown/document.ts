import { refusedError } from '../../../core/errors.ts';
import { escapeBlockStarts, markdownHeading, markdownTable } from './write.ts';

export interface SpanningCell {
  readonly text: string;
  readonly columns: number;
  readonly rows: number;
}

/** A spanning cell up to this length (UTF-16 units) is repeated, so that each row can be understood alone. */
const MAX_REPEATED = 100;
/** Maximum cells of all tables together, including repeated cells. */
const MAX_CELLS = 1_000_000;
/** Maximum UTF-16 units of the text: a small file may show one chart many times. */
const MAX_TEXT = 64 * 1024 * 1024;
const NUMBER = /^\d{1,9}[.)]$/;
/** Items that are nested deeper are written at this depth. */
const MAX_LEVEL = 16;

/**
 * Collects the blocks of a word processor's document as Markdown. A text or tables over a limit are an error for
 * callers.
 */
export class MarkdownDocument {
  readonly #parts: string[] = [];
  #isAfterItem = false;
  #indents: number[] = [];
  #cells = 0;
  #length = 0;

  text(): string {
    return this.#parts.join('');
  }

  heading(level: number, text: string): void {
    this.#indents = [];
    if (text !== '') this.#add(markdownHeading(level, text));
  }

  paragraph(text: string): void {
    if (text !== '') this.#indents = [];
    this.block(escapeBlockStarts(text));
  }

  /** Adds Markdown as it is. */
  block(markdown: string): void {
    if (markdown !== '') this.#add(markdown);
  }

  /** @param level counted from 0 @param label such as `3.`, `(a)` or `Article 5`; empty for a bullet */
  item(text: string, level: number, label: string): void {
    if (text === '') return;
    const depth = Math.min(Math.max(level, 0), MAX_LEVEL);
    const isNumber = NUMBER.test(label);
    const mark = isNumber ? `${label} ` : '- ';
    const own = isNumber || label === '' ? text : `${label} ${text}`;
    this.#indents = this.#indents.slice(0, depth);
    const indent = this.#indents.reduce((sum, width) => sum + (width ?? 0), 0);
    this.#indents[depth] = mark.length;
    this.#add(' '.repeat(indent) + mark + indented(escapeBlockStarts(own), indent + mark.length), true);
  }

  /** Adds a further paragraph of the last item at `level`. */
  continuation(text: string, level: number): void {
    const indents = this.#indents.slice(0, Math.min(level, MAX_LEVEL) + 1);
    const indent = indents.reduce((sum, width) => sum + (width ?? 0), 0);
    if (text !== '') this.#add(' '.repeat(indent) + indented(escapeBlockStarts(text), indent));
  }

  /** Adds a table. Its first row is the header. */
  table(rows: readonly (readonly SpanningCell[])[]): void {
    this.#indents = [];
    for (const [y, row] of rows.entries())
      for (const { columns, rows: height } of row) this.#cells += columns * Math.min(height, rows.length - y);
    if (!(this.#cells <= MAX_CELLS))
      throw refusedError(`The file cannot be read: its tables have more than ${MAX_CELLS} cells.`);
    this.block(markdownTable(gridOf(rows)));
  }

  #add(text: string, isItem = false): void {
    // Lone surrogates cannot be encoded in UTF-8.
    const gap = this.#parts.length === 0 ? '' : isItem && this.#isAfterItem ? '\n' : '\n\n';
    const written = gap + text.toWellFormed();
    this.#isAfterItem = isItem;
    this.#length += written.length;
    if (this.#length > MAX_TEXT)
      throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    this.#parts.push(written);
  }
}

const indented = (text: string, width: number): string => text.replaceAll('\n', `\n${' '.repeat(width)}`);

/** The cells of each row. A spanning cell is repeated in each place that it covers. */
function gridOf(rows: readonly (readonly SpanningCell[])[]): string[][] {
  const grid = rows.map((): string[] => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const { text, columns, rows: height } of row) {
      while (grid[y]?.[x] !== undefined) x++;
      for (const line of grid.slice(y, y + height))
        for (let column = x; column < x + columns; column++)
          line[column] = text.length > MAX_REPEATED && (line !== grid[y] || column > x) ? '' : text;
      x += columns;
    }
  }
  return grid.map((line) => Array.from(line, (text) => text ?? ''));
}
