import { keepOptimised, type Located, type Span, withFields } from '../../../core/kit.ts';
import type { HeadingPaths } from '../../toolkit/heading-paths.ts';
import { LineEnds } from '../../toolkit/lines.ts';
import type { BlockKind, MarkdownBlock } from '../../toolkit/markdown/index.ts';
import { languageOf } from './languages.ts';

/** What is known about a Markdown text. */
export interface Markdown {
  readonly text: string;
  /** The blocks that are in no other. */
  readonly outer: readonly MarkdownBlock[];
  /** The fences and tables, whose beginnings their chunks carry. */
  readonly opened: readonly MarkdownBlock[];
  readonly paths: HeadingPaths;
}

/** Gives each chunk the headings above it, and describes its content. @param spans in the order of the text */
export function describe(
  { text, outer, opened, paths }: Markdown,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const rows = new RowCounter(text);
  const described: Span[] = [];
  let [top, first] = [0, 0];
  // A loop and not a callback, whose optimised code would be discarded with each request; the same is true of the
  // class.
  for (const span of spans) {
    top = firstAfter(outer, top, span.start);
    first = firstAfter(opened, first, span.start);
    const own = {
      heading_path: paths.within(span.start, span.end),
      kinds: kindsIn(outer, top, span.end),
      language: languageIn(text, opened, first, span.end),
      rows: rowsIn(opened, first, span, rows),
    };
    const extra = span.extra === undefined ? own : { ...own, ...span.extra };
    const located = lists ? { blocks: locatedIn(text, outer, top, span) } : undefined;
    described.push(withFields(span, extra, located));
  }
  return described;
}

/** The index of the first block, from one on, that ends after an offset. @param blocks rising, none within another */
function firstAfter(blocks: readonly MarkdownBlock[], from: number, offset: number): number {
  let index = from;
  while (index < blocks.length && (blocks[index] as MarkdownBlock).end <= offset) index++;
  return index;
}

/** The kinds of the blocks from one on that begin before an offset, each once. */
function kindsIn(blocks: readonly MarkdownBlock[], first: number, end: number): BlockKind[] {
  const kinds: BlockKind[] = [];
  for (let index = first; index < blocks.length; index++) {
    const { kind, start } = blocks[index] as MarkdownBlock;
    if (start >= end) break;
    if (!kinds.includes(kind)) kinds.push(kind);
  }
  return kinds;
}

/** The language of the fences among the blocks from one on that begin before an offset, if all name the same one. */
function languageIn(
  text: string,
  blocks: readonly MarkdownBlock[],
  first: number,
  end: number,
): string | undefined {
  let found: string | undefined;
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= end) break;
    const language = languageOf(text, block);
    if (language === undefined || language === found) continue;
    if (found !== undefined) return undefined;
    found = language;
  }
  return found;
}

/** The first and the last row of the table among the blocks from one on that are in a chunk, if it is the only one. */
function rowsIn(
  blocks: readonly MarkdownBlock[],
  first: number,
  { start, end }: Span,
  rows: RowCounter,
): [number, number] | undefined {
  let table: MarkdownBlock | undefined;
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= end) break;
    if (block.kind !== 'table') continue;
    if (table !== undefined) return undefined;
    table = block;
  }
  if (table === undefined || end <= table.inner) return undefined;
  const from = rows.before(table, Math.max(start, table.inner)) + 1;
  return [from, Math.max(rows.before(table, Math.min(end, table.end)), from)];
}

/** Counts the rows of tables; offsets rise. */
class RowCounter {
  readonly #lines: LineEnds;
  #table: MarkdownBlock | undefined;
  #at = 0;
  #rows = 0;

  constructor(text: string) {
    this.#lines = new LineEnds(text);
  }

  /** Number of rows of a table that begin before an offset. */
  before(table: MarkdownBlock, end: number): number {
    if (this.#table !== table) {
      this.#table = table;
      this.#at = table.inner;
      this.#rows = 0;
    }
    for (; this.#at < end; this.#rows++) this.#at = this.#lines.next(this.#at);
    return this.#rows;
  }
}

keepOptimised(new RowCounter(''));

/** The blocks from one on that are in a chunk. */
function locatedIn(text: string, blocks: readonly MarkdownBlock[], first: number, span: Span): Located[] {
  const found: Located[] = [];
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= span.end) break;
    const { kind, level } = block;
    const language = languageOf(text, block);
    found.push({
      start: Math.max(block.start, span.start),
      end: Math.min(block.end, span.end),
      fields: { kind, ...(level > 0 ? { level } : {}), ...(language === undefined ? {} : { language }) },
    });
  }
  return found;
}
