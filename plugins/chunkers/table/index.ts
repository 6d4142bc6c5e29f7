import {
  type Carried,
  type Chunker,
  type CutFinder,
  countUpTo,
  countWhile,
  cutAtDelimiters,
  cutAtOffsets,
  cutAtWhiteSpace,
  type Factory,
  isLineBreak,
  type Outline,
  refusedError,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { withMinimumPiece } from '../../toolkit/minimum-pieces.ts';
import { cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import { readCsv } from './csv.ts';
import { beforeBreaks, behindBlankLines, type Layout, type Table } from './layout.ts';
import type manifest from './manifest.ts';
import type { TableOptions } from './manifest.ts';
import { readHtml, readMarkdown } from './marked-up.ts';

/** The rank of boundaries around tables, and of boundaries that `rows_per_chunk` demands. */
const BETWEEN_TABLES = 0;
const BETWEEN_ROWS = 1;

/**
 * Finds boundaries around tables and between rows. The header stays with the first row. White space before a table is
 * not a separate piece.
 */
function outlineOf(
  text: string,
  { from, tables }: { readonly from: number; readonly tables: readonly Table[] },
  rowsPerChunk: number | undefined,
): Outline {
  const edges = [0];
  const ranks = [BETWEEN_TABLES];
  let last = from;
  const add = (edge: number, rank: number) => {
    if (edge <= last || edge >= text.length) return;
    edges.push(edge);
    ranks.push(rank);
    last = edge;
  };
  for (const { start, end, rows, headerRows } of tables) {
    if (text.slice(last, start).trim() !== '') add(start, BETWEEN_TABLES);
    for (let row = headerRows + 1; row < rows.length; row++) {
      const isFull = rowsPerChunk !== undefined && (row - headerRows) % rowsPerChunk === 0;
      add(rows[row] as number, isFull ? BETWEEN_TABLES : BETWEEN_ROWS);
    }
    add(behindBlankLines(text, end), BETWEEN_TABLES);
  }
  edges.push(text.length);
  ranks.push(BETWEEN_TABLES);
  return { edges, ranks };
}

function tableAt(tables: readonly Table[], offset: number): Table | undefined {
  const table = tables[countWhile(tables, ({ start }) => start <= offset) - 1];
  return table !== undefined && offset < table.end ? table : undefined;
}

/** First and last row, from 1, that a stretch overlaps; undefined for no row, or for rows of several tables. */
function rowsIn(tables: readonly Table[], { start, end }: Span): readonly [number, number] | undefined {
  const before = countWhile(tables, (table) => table.start < end);
  const table = tables[before - 1];
  if (table === undefined || start >= table.end) return undefined;
  const other = tables[before - 2];
  if (other !== undefined && start < other.end) return undefined;
  const { rows, headerRows } = table;
  const last = countUpTo(rows, end - 1) - headerRows;
  return last < 1 ? undefined : [Math.max(countUpTo(rows, start) - headerRows, 1), last];
}

const BYTE_ORDER_MARK = '\ufeff';

const createTableChunker: Factory<typeof manifest> = (): Chunker<TableOptions> => ({
  chunk(text, options, { divide, packStructure, report }) {
    checkMarks(options);
    const { dialect, cutAtCells, ...layout } = readTables(text, options);
    const from = layout.from ?? (text.startsWith(BYTE_ORDER_MARK) ? 1 : 0);
    report('table-dialect', dialect);
    const tables = layout.tables.map((table) => withHeader(behindBeginning(table, from), options));
    const finders = textFinders();
    const structure = {
      outline: outlineOf(text, { from, tables }, options.rows_per_chunk ?? undefined),
      ...(options.carry === 'none' ? {} : { carriedAt: headersOf(text, tables) }),
      divide(start: number, end: number, size: number): readonly Span[] {
        const table = tableAt(tables, Math.max(start, from));
        if (table === undefined) return divide({ start, end }, finders, { size });
        if (options.oversize === 'keep') return [{ start, end }];
        return divide({ start, end }, [cutAtOffsets(table.rows), cutAtCells, ...finders], { size });
      },
    };
    const spans = packStructure(structure, rulesOf(options));
    return spans.map((span) => withRows(span, tables));
  },
});

export default createTableChunker;

/** @throws an error shown to callers if the delimiter or the quote is ambiguous, such as a line break */
function checkMarks({ delimiter, quote }: TableOptions): void {
  for (const [name, mark] of [['delimiter', delimiter] as const, ['quote', quote] as const]) {
    if (isLineBreak(mark?.charCodeAt(0) ?? 0)) throw refusedError(`${name}: must not be a line break.`);
  }
  if (delimiter !== null && delimiter === quote)
    throw refusedError('delimiter: must not be the same as quote.');
}

const TABLE_TAG = /<table(?=[\s>])/i;

function readTables(text: string, options: TableOptions): Layout {
  switch (options.format) {
    case 'html':
      return readHtml(text);
    case 'markdown':
      return readMarkdown(text);
    case 'csv':
    case 'tsv':
      return readCsv(text, options);
  }
  if (options.delimiter !== null) return readCsv(text, options);
  const hasTag = TABLE_TAG.test(text);
  if (hasTag && /^\s*</.test(text)) return readHtml(text);
  const markdown = readMarkdown(text);
  if (markdown.tables.length > 0) return markdown;
  return hasTag ? readHtml(text) : readCsv(text, options);
}

/** Extends the first row over the byte order mark before it. */
function behindBeginning(table: Table, from: number): Table {
  return from === 1 && table.start === 1 ? { ...table, rows: table.rows.with(0, 0) } : table;
}

function withHeader(table: Table, { header_rows }: TableOptions): Table {
  const { start, end, rows } = table;
  const headerRows = header_rows ?? table.headerRows;
  return { start, end, rows, headerRows: headerRows < rows.length ? headerRows : 0 };
}

function headersOf(text: string, tables: readonly Table[]): (start: number) => Carried | undefined {
  const known = new Map<Table, Carried>();
  return (offset) => {
    const table = tableAt(tables, offset);
    if (table === undefined || table.headerRows === 0) return undefined;
    const headerEnd = table.rows[table.headerRows] as number;
    if (offset < headerEnd) return undefined;
    const carried = known.get(table) ?? {
      opening: text.slice(table.start, beforeBreaks(text, table.start, headerEnd)),
    };
    known.set(table, carried);
    return carried;
  };
}

/** Lines with fewer characters, such as blank lines, are joined to adjacent lines. */
const MIN_LINE_LENGTH = 8;

function textFinders(): readonly CutFinder[] {
  return [
    cutAtDelimiters(['\n\n', '\r\n\r\n']),
    withMinimumPiece(cutAtDelimiters(['\r\n', '\n', '\r']), MIN_LINE_LENGTH),
    cutAtSentenceEnds(['. ', '! ', '? ']),
    cutAtWhiteSpace,
  ];
}

function rulesOf(options: TableOptions) {
  if (options.rows_per_chunk === null) return options;
  return { ...options, min_chunk_size: 0, always: BETWEEN_TABLES };
}

function withRows(span: Span, tables: readonly Table[]): Span {
  const rows = rowsIn(tables, span);
  if (rows === undefined) return span;
  return withFields(span, span.extra === undefined ? { rows } : { ...span.extra, rows });
}
