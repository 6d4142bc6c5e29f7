import { keepOptimised } from '../../../core/kit.ts';
import { nextLine, startOnLine } from '../../toolkit/lines.ts';
import { findMarkdownBlocks } from '../../toolkit/markdown/index.ts';
import { MarkupReader } from '../../toolkit/markup/index.ts';
import type { Layout, Table } from './layout.ts';

/** Finds the outermost tables of an HTML text. A table within a cell is part of the row. */
export function readHtml(text: string): Layout {
  const tables: Table[] = [];
  const tags = new MarkupReader(text);
  let depth = 0;
  let open: OpenTable | undefined;
  for (let before = 0; tags.read(); before = tags.end) {
    const { name, isClosing, start, end } = tags;
    if (name === 'table' && !isClosing) {
      if (depth === 0) open = new OpenTable(startOnLine(text, before, start));
      depth++;
    } else if (name === 'table' && depth > 0) {
      depth--;
      if (depth === 0 && open !== undefined) tables.push(open.close(end));
      if (depth === 0) open = undefined;
    } else if (depth === 1 && open !== undefined) {
      if (isClosing) open.leave(name);
      else open.enter(name, startOnLine(text, before, start));
    }
  }
  if (open !== undefined) tables.push(open.close(text.length));
  return { dialect: 'html', tables, cutAtCells: findCells };
}

const NOWHERE = -1;

class OpenTable {
  readonly #start: number;
  readonly #rows: number[] = [];
  #headerRows = 0;
  #isHead = false;
  #hasHead = false;
  #isLeading = true;
  #hasHeaderCell = false;
  #hasDataCell = false;
  /** Start of the tags directly before the next row. These tags belong to that row. */
  #opening = NOWHERE;

  constructor(start: number) {
    this.#start = start;
  }

  enter(name: string, start: number): void {
    if (name === 'tr') this.#beginRow(start);
    else if (name === 'th') this.#hasHeaderCell = true;
    else if (name === 'td') this.#hasDataCell = true;
    else if (name === 'thead' || name === 'tbody' || name === 'tfoot') {
      this.#endRow();
      this.#isHead = name === 'thead';
      this.#hasHead ||= this.#isHead;
      this.#opening = start;
    }
  }

  leave(name: string): void {
    this.#opening = NOWHERE;
    if (name === 'thead') {
      this.#endRow();
      this.#isHead = false;
    }
  }

  close(end: number): Table {
    this.#endRow();
    const rows = this.#rows.length > 0 ? this.#rows : [this.#start];
    return { start: this.#start, end, rows, headerRows: this.#headerRows };
  }

  #beginRow(start: number): void {
    this.#endRow();
    const first = this.#opening === NOWHERE ? start : this.#opening;
    this.#rows.push(this.#rows.length === 0 ? this.#start : first);
    this.#opening = NOWHERE;
  }

  /** Adds the last row to the header if the row is in `thead`, or has only header cells in a table without `thead`. */
  #endRow(): void {
    const isByCells = !this.#hasHead && this.#hasHeaderCell && !this.#hasDataCell;
    const hasCells = this.#hasHeaderCell || this.#hasDataCell;
    if (hasCells && this.#isLeading) {
      this.#isLeading = this.#isHead || isByCells;
      if (this.#isLeading) this.#headerRows = this.#rows.length;
    }
    this.#hasHeaderCell = false;
    this.#hasDataCell = false;
  }
}

keepOptimised(new OpenTable(0));

function findCells(text: string, start: number, end: number): number[] {
  const cells = text.slice(start, end).matchAll(/<t[dh](?=[\s>/])/gi);
  return [...cells].map(({ index }) => start + index).filter((at) => at > start);
}

const BACKSLASH = 92;
const PIPE = 124;

/** Finds the tables of a Markdown text. The delimiter row belongs to the header. */
export function readMarkdown(text: string): Layout {
  const mayHoldTable = text.includes('|') && text.includes('-');
  const blocks = mayHoldTable ? findMarkdownBlocks(text) : [];
  const tables = blocks
    .filter(({ kind }) => kind === 'table')
    .map(
      ({ start, end, inner }): Table => ({
        start,
        end,
        rows: rowStarts(text, start, inner, end),
        headerRows: 1,
      }),
    );
  return { dialect: 'markdown', tables, cutAtCells: findPipes };
}

function rowStarts(text: string, start: number, inner: number, end: number): number[] {
  const starts = [start];
  for (let at = inner; at < end; at = nextLine(text, at, text.length)) starts.push(at);
  return starts;
}

function findPipes(text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === PIPE && at > start && at + 1 < end) cuts.push(at + 1);
  }
  return cuts;
}
