import type { MarkdownDocument, SpanningCell } from '../../toolkit/markdown/index.ts';

/** A paragraph, written but for its block. */
export interface RtfParagraph {
  readonly text: string;
  readonly heading: number;
  /** Undefined outside lists; empty for a bullet. */
  readonly label: string | undefined;
  readonly level: number;
}

/** The definition of a cell. */
export interface CellDefinition {
  /** The right edge in twips. */
  readonly right: number;
  readonly continuesLeft: boolean;
  readonly continuesAbove: boolean;
}

export interface RtfRow {
  readonly cells: readonly (readonly RtfParagraph[])[];
  readonly definitions: readonly CellDefinition[];
}

/** Edges of cells that lie closer, in twips, are one edge. */
const TOLERANCE = 60;
/** Maximum columns of a table for each cell of its longest row. More come from edges that do not fit. */
const MAX_COLUMNS_PER_CELL = 3;

export function lineOfParagraphs(paragraphs: readonly RtfParagraph[]): string {
  const texts = paragraphs.map(({ text, label }) =>
    text === '' || label === undefined ? text : `${label || '-'} ${text}`,
  );
  return texts
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
}

export function writeParagraph(
  document: MarkdownDocument,
  { text, heading, label, level }: RtfParagraph,
): void {
  if (heading > 0) document.heading(heading, label ? `${label} ${text}` : text);
  else if (label === undefined) document.paragraph(text);
  else document.item(text, level, label);
}

/** Writes a table. One with a single cell is a frame around its paragraphs. */
export function writeRtfTable(document: MarkdownDocument, rows: readonly RtfRow[]): void {
  const only = rows.length === 1 && rows[0]?.cells.length === 1 ? rows[0].cells[0] : undefined;
  if (only === undefined) document.table(spanningRows(rows));
  else for (const paragraph of only) writeParagraph(document, paragraph);
}

function spanningRows(rows: readonly RtfRow[]): SpanningCell[][] {
  const columnOf = columnsByEdge(rows);
  /** The cell of each column that a later row may continue. */
  const open = new Map<number, { text: string; columns: number; rows: number }>();
  return rows.map(({ cells, definitions }) => {
    const written: { text: string; columns: number; rows: number }[] = [];
    let column = 0;
    for (const [index, paragraphs] of cells.entries()) {
      const definition = definitions[index];
      const text = lineOfParagraphs(paragraphs);
      const end = Math.max(columnOf(definition?.right) ?? column + 1, column + 1);
      const left = written.at(-1);
      const above = definition?.continuesAbove === true ? open.get(column) : undefined;
      if (definition?.continuesLeft === true && left !== undefined) {
        left.columns += end - column;
        left.text = joined(left.text, text);
      } else if (above?.columns === end - column) {
        above.rows++;
        above.text = joined(above.text, text);
      } else {
        const cell = { text, columns: end - column, rows: 1 };
        written.push(cell);
        open.set(column, cell);
      }
      column = end;
    }
    return written;
  });
}

const joined = (before: string, text: string): string =>
  before !== '' && text !== '' ? `${before} ${text}` : before + text;

/** Returns a function from the right edge of a cell to the number of columns up to it. */
function columnsByEdge(rows: readonly RtfRow[]): (right: number | undefined) => number | undefined {
  const isDefined = rows.every(({ cells, definitions }) => cells.length <= definitions.length);
  const edges = [...new Set(rows.flatMap(({ definitions }) => definitions.map(({ right }) => right)))];
  const sorted = edges.sort((a, b) => a - b);
  const columns = new Map<number, number>();
  let first = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const edge of sorted) {
    if (edge > first + TOLERANCE) {
      first = edge;
      count++;
    }
    columns.set(edge, count);
  }
  const longest = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (!isDefined || count > MAX_COLUMNS_PER_CELL * longest) return () => undefined;
  return (right) => (right === undefined ? undefined : columns.get(right));
}
