import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';

/** Where a Markdown text can be cut: rising offsets of the starts of lines. */
export interface MarkdownCuts {
  /** Before headings of both kinds, and their levels. Headings in lists and quotes are text. */
  readonly headings: readonly Heading[];
  /** Before blocks: headings, paragraphs, rules; lists, quotes, tables and fences as a whole. */
  readonly blocks: readonly number[];
  /**
   * Within blocks, before list items, blocks in lists or quotes, table rows and lines of code; the first line of a
   * fence stays with its opening, the last with its closing, and the head of a table with its rule.
   */
  readonly lines: readonly number[];
}

export interface Heading {
  readonly at: number;
  /** From 1 to 6. */
  readonly depth: number;
}

/** @param blocks of the text, from `findMarkdownBlocks` */
export function findMarkdownCuts(text: string, blocks: readonly MarkdownBlock[]): MarkdownCuts {
  const outer = blocks.filter(({ depth }) => depth === 0);
  const lines = new Set<number>();
  for (const block of blocks) {
    // The lines of code in a list or quote are left to the following levels: nested blocks are first cut as a whole.
    if (block.depth > 0) lines.add(block.start);
    if (block.depth === 0 || block.kind === 'table')
      for (const at of startsWithin(text, block)) lines.add(at);
  }
  return {
    headings: outer.flatMap(({ kind, start, level }) =>
      kind === 'heading' ? [{ at: start, depth: level }] : [],
    ),
    blocks: outer.map(({ start }) => start),
    lines: [...lines].sort((a, b) => a - b),
  };
}

/** The starts of lines within a block before which it may be cut. */
function startsWithin(text: string, { kind, start, end, inner }: MarkdownBlock): readonly number[] {
  if (kind === 'table') return lineStarts(text, inner, end);
  if (kind === 'indented' || kind === 'html' || kind === 'raw') return lineStarts(text, start, end).slice(1);
  if (kind !== 'fence') return [];
  // A fence that fits only without the blank lines after it is cut from them.
  return [...lineStarts(text, start, end).slice(2, -1), end];
}

function lineStarts(text: string, from: number, to: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < to; ) {
    starts.push(at);
    const end = text.indexOf('\n', at);
    at = end === -1 ? to : end + 1;
  }
  return starts;
}
