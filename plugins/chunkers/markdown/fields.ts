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
  const kindsOf = kindLists();
  return spans.map((span) => {
    const held = inSpan(span);
    const tops = outerInSpan(span);
    // One object for each chunk, made at once: there are many.
    const extra: Record<string, unknown> = {
      heading_path: paths.within(span.start, span.end),
      kinds: kindsOf(tops),
    };
    const language = languageIn(text, held);
    if (language !== undefined) extra.language = language;
    const rows = rowsIn(held, span, rowsWithin);
    if (rows !== undefined) extra.rows = rows;
    if (span.extra !== undefined) Object.assign(extra, span.extra);
    if (!lists) return { ...span, extra };
    return { ...span, extra, located: { blocks: tops.map((top) => located(text, top, span)) } };
  });
}

/** Gives the kinds of blocks, each once; equal lists are one object, which is checked and written once. */
function kindLists() {
  const lists = new Map<string, readonly string[]>();
  return (blocks: readonly MarkdownBlock[]): readonly string[] => {
    let key = '';
    for (const { kind } of blocks) if (!key.endsWith(kind)) key += ` ${kind}`;
    const list = lists.get(key) ?? [...new Set(blocks.map(({ kind }) => kind))];
    lists.set(key, list);
    return list;
  };
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

/** The language of the fences among blocks, if they name one alone. */
function languageIn(text: string, held: readonly MarkdownBlock[]): string | undefined {
  let found: string | undefined;
  for (const block of held) {
    const language = languageOf(text, block);
    if (language === undefined || language === found) continue;
    if (found !== undefined) return undefined;
    found = language;
  }
  return found;
}

type CountRows = (table: MarkdownBlock, end: number) => number;

/** The first and the last row of the table among blocks, if it is the only one. */
function rowsIn(held: readonly MarkdownBlock[], { start, end }: Span, rowsBefore: CountRows) {
  const at = held.findIndex(({ kind }) => kind === 'table');
  const table = held[at];
  if (table === undefined || end <= table.inner) return undefined;
  if (held.some(({ kind }, index) => index > at && kind === 'table')) return undefined;
  const first = rowsBefore(table, Math.max(start, table.inner)) + 1;
  return [first, Math.max(rowsBefore(table, Math.min(end, table.end)), first)];
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
