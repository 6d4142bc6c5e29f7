import type { Located, Span } from '../../../core/contracts/chunk.ts';
import type { HeadingPaths } from '../../../core/engine/heading-paths.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import { languageOf, nextLine } from './blocks.ts';

/** What is known of a Markdown text. */
export interface Markdown {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
  /** The blocks that hold no others. */
  readonly leaves: readonly MarkdownBlock[];
  readonly paths: HeadingPaths;
}

/** Gives each chunk the headings it stands under, and says what it holds. @param spans in the order of the text */
export function describe(
  { text, blocks, leaves, paths }: Markdown,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const outer = blocks.filter(({ depth }) => depth === 0);
  const inSpan = walker(leaves);
  const outerInSpan = walker(outer);
  const rowsWithin = rowCounter(text);
  return spans.map((span) => {
    const held = inSpan(span);
    const tops = outerInSpan(span);
    const extra = {
      heading_path: paths.within(span.start, span.end),
      kinds: [...new Set(tops.map(({ kind }) => kind))],
      ...languageField(text, held),
      ...rowsField(held, span, rowsWithin),
      ...span.extra,
    };
    return lists
      ? { ...span, extra, located: { blocks: tops.map((top) => located(text, top, span)) } }
      : { ...span, extra };
  });
}

/** Finds the blocks that lie in a span, or part of which does; spans come in the order of the text. */
function walker(blocks: readonly MarkdownBlock[]) {
  let first = 0;
  return ({ start, end }: Span): MarkdownBlock[] => {
    while (first < blocks.length && (blocks[first] as MarkdownBlock).end <= start) first++;
    const found: MarkdownBlock[] = [];
    for (let index = first; index < blocks.length; index++) {
      const block = blocks[index] as MarkdownBlock;
      if (block.start >= end) break;
      found.push(block);
    }
    return found;
  };
}

function languageField(text: string, held: readonly MarkdownBlock[]) {
  const names = new Set(held.flatMap((block) => languageOf(text, block) ?? []));
  const [language] = names;
  return names.size === 1 ? { language } : {};
}

type CountRows = (table: MarkdownBlock, end: number) => number;

function rowsField(held: readonly MarkdownBlock[], { start, end }: Span, rowsBefore: CountRows) {
  const tables = held.filter(({ kind }) => kind === 'table');
  const [table] = tables;
  if (table === undefined || tables.length > 1 || end <= table.inner) return {};
  const first = rowsBefore(table, Math.max(start, table.inner)) + 1;
  return { rows: [first, Math.max(rowsBefore(table, Math.min(end, table.end)), first)] };
}

/** Counts the rows of a table that begin in front of an offset; offsets rise. */
function rowCounter(text: string): CountRows {
  let [of, at, rows]: [MarkdownBlock | undefined, number, number] = [undefined, 0, 0];
  return (table, end) => {
    if (of !== table) [of, at, rows] = [table, table.inner, 0];
    for (; at < end; rows++) at = nextLine(text, at, table.end);
    return rows;
  };
}

function located(text: string, block: MarkdownBlock, span: Span): Located {
  const { kind, level } = block;
  const language = languageOf(text, block);
  return {
    start: Math.max(block.start, span.start),
    end: Math.min(block.end, span.end),
    fields: { kind, ...(level > 0 ? { level } : {}), ...(language === undefined ? {} : { language }) },
  };
}
