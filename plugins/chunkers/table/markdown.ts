import { nextLine } from '../../toolkit/lines.ts';
import { findMarkdownBlocks } from '../../toolkit/markdown/index.ts';
import type { Layout, Table } from './layout.ts';

const BACKSLASH = 92;
const PIPE = 124;

/** The tables of a Markdown text; a header goes with its delimiter row. */
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

/** The offsets after the unescaped pipes of a stretch. */
function findPipes(text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === PIPE && at > start && at + 1 < end) cuts.push(at + 1);
  }
  return cuts;
}
