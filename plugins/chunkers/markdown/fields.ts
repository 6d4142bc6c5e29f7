import {
  type BlockKind,
  type HeadingPaths,
  keepOptimised,
  type Located,
  type MarkdownBlock,
  nextLine,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { languageOf } from './blocks.ts';

/** What is known about a Markdown text. */
export interface Markdown {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
  /** The blocks without nested blocks. */
  readonly leaves: readonly MarkdownBlock[];
  readonly paths: HeadingPaths;
}

/** Gives each chunk the headings above it, and describes its content. @param spans in the order of the text */
export function describe(
  { text, blocks, leaves, paths }: Markdown,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const outer = new Overlaps(blocks.filter(({ depth }) => depth === 0));
  const inner = new Overlaps(leaves);
  const rows = new RowCounter(text);
  const known = new Map<string, readonly BlockKind[]>();
  const described: Span[] = [];
  // A loop and not a callback, whose optimised code would be discarded with each request; the same is true of the
  // classes.
  for (const span of spans) {
    const held = inner.of(span);
    const tops = outer.of(span);
    const own = {
      heading_path: paths.within(span.start, span.end),
      kinds: kindsOf(tops, known),
      language: languageIn(text, held),
      rows: rowsIn(held, span, rows),
    };
    const extra = span.extra === undefined ? own : { ...own, ...span.extra };
    const located = lists ? { blocks: tops.map((top) => locatedIn(text, top, span)) } : undefined;
    described.push(withFields(span, extra, located));
  }
  return described;
}

/** The kinds of blocks, each once; equal lists are one object, which is checked and written once. */
function kindsOf(
  blocks: readonly MarkdownBlock[],
  known: Map<string, readonly BlockKind[]>,
): readonly BlockKind[] {
  const kinds: BlockKind[] = [];
  for (const { kind } of blocks) if (!kinds.includes(kind)) kinds.push(kind);
  const name = kinds.join();
  const same = known.get(name) ?? kinds;
  if (same === kinds) known.set(name, kinds);
  return same;
}

/** Finds those of rising blocks, none within another, that overlap spans; the spans rise, too. */
class Overlaps {
  readonly #blocks: readonly MarkdownBlock[];
  #first = 0;

  constructor(blocks: readonly MarkdownBlock[]) {
    this.#blocks = blocks;
  }

  of({ start, end }: Span): readonly MarkdownBlock[] {
    const blocks = this.#blocks;
    while (this.#first < blocks.length && (blocks[this.#first] as MarkdownBlock).end <= start) this.#first++;
    let to = this.#first;
    while (to < blocks.length && (blocks[to] as MarkdownBlock).start < end) to++;
    return blocks.slice(this.#first, to);
  }
}

keepOptimised(new Overlaps([]));

/** The language of the fences among blocks, if all name the same one. */
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

/** The first and the last row of the table among blocks, if it is the only one. */
function rowsIn(held: readonly MarkdownBlock[], { start, end }: Span, rows: RowCounter) {
  const at = held.findIndex(isTable);
  if (at === -1) return undefined;
  const table = held[at] as MarkdownBlock;
  if (end <= table.inner) return undefined;
  if (held.findLastIndex(isTable) !== at) return undefined;
  const first = rows.before(table, Math.max(start, table.inner)) + 1;
  return [first, Math.max(rows.before(table, Math.min(end, table.end)), first)];
}

function isTable({ kind }: MarkdownBlock): boolean {
  return kind === 'table';
}

/** Counts the rows of tables; offsets rise. */
class RowCounter {
  readonly #text: string;
  #table: MarkdownBlock | undefined;
  #at = 0;
  #rows = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Number of rows of a table that begin before an offset. */
  before(table: MarkdownBlock, end: number): number {
    if (this.#table !== table) {
      this.#table = table;
      this.#at = table.inner;
      this.#rows = 0;
    }
    for (; this.#at < end; this.#rows++) this.#at = nextLine(this.#text, this.#at, table.end);
    return this.#rows;
  }
}

keepOptimised(new RowCounter(''));

function locatedIn(text: string, block: MarkdownBlock, span: Span): Located {
  const { kind, level } = block;
  const language = languageOf(text, block);
  return {
    start: Math.max(block.start, span.start),
    end: Math.min(block.end, span.end),
    fields: { kind, ...(level > 0 ? { level } : {}), ...(language === undefined ? {} : { language }) },
  };
}
