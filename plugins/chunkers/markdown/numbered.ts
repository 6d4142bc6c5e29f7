import type { Span } from '../../../core/kit.ts';
import { afterLineBreak, nextLine } from '../../toolkit/lines.ts';
import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';
import {
  findNumberedHeadings,
  type HeadingLines,
  type NumberedHeading,
} from '../../toolkit/numbered/index.ts';

export interface NumberedBlocks {
  readonly blocks: readonly MarkdownBlock[];
  readonly names: ReadonlyMap<number, string>;
}

export function withNumberedHeadings(text: string, blocks: readonly MarkdownBlock[]): NumberedBlocks {
  const marked = blocks.filter(isHeading);
  const markedStarts = new Set(marked.map(({ start }) => start));
  const numbered = findNumberedHeadings(text, headingLines(text, blocks));
  const unmarked = numbered.filter(({ start }) => !markedStarts.has(start));
  const levels = new Map(numbered.map(({ start, level }) => [start, level]));
  return {
    blocks: cutBlocks(text, blocks, rangesOf(text, unmarked, marked, levels)),
    names: new Map(unmarked.map(({ start, name }) => [start, name])),
  };
}

interface HeadingRange extends Span {
  readonly level: number;
}

/**
 * The ranges of numbered headings. Their levels are relative to the last marked heading before them.
 *
 * @param levels levels of all numbered headings, marked or not, by offset
 */
function rangesOf(
  text: string,
  headings: readonly NumberedHeading[],
  marked: readonly MarkdownBlock[],
  levels: ReadonlyMap<number, number>,
): HeadingRange[] {
  let next = 0;
  let markedLevel = 0;
  return headings.map(({ start, end, level }) => {
    for (let above = marked[next]; above !== undefined && above.start < start; above = marked[++next])
      markedLevel = above.level - (levels.get(above.start) ?? 0);
    return { start, end: endOfHeading(text, end), level: Math.max(markedLevel + level, 1) };
  });
}

function cutBlocks(
  text: string,
  blocks: readonly MarkdownBlock[],
  headings: readonly HeadingRange[],
): MarkdownBlock[] {
  const cut: MarkdownBlock[] = [];
  let next = 0;
  let headingEnd = 0;
  for (const block of blocks) {
    // Markdown takes a numbered heading for a list. The heading covers the blocks within this list.
    if (block.depth > 0 && block.start < headingEnd) continue;
    let at = Math.max(block.start, headingEnd);
    for (let heading = headings[next]; heading && heading.start < block.end; heading = headings[++next]) {
      const { start, end, level } = heading;
      if (start > at) cut.push(paragraph(text, at, start));
      cut.push({ ...paragraph(text, start, end), kind: 'heading', level });
      at = end;
      headingEnd = end;
    }
    if (at === block.start) cut.push(block);
    else if (at < block.end) cut.push(paragraph(text, at, block.end));
  }
  return cut;
}

function isHeading({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

function paragraph(text: string, start: number, end: number): MarkdownBlock {
  const indent = /^[ \t]*/.exec(text.slice(start, Math.min(end, start + 200)))?.[0].length ?? 0;
  return { kind: 'paragraph', start, end, depth: 0, level: 0, inner: start + indent };
}

function endOfHeading(text: string, end: number): number {
  return end < text.length && /[\r\n]/.test(text.charAt(end)) ? afterLineBreak(text, end) : end;
}

/** A list with one item on one line has three blocks: the list, the item and its text. */
const BLOCKS_OF_LIST = 3;

function headingLines(text: string, blocks: readonly MarkdownBlock[]): readonly HeadingLines[] {
  return blocks.flatMap((block, index): readonly HeadingLines[] => {
    const { kind, depth, start, end } = block;
    if (depth > 0) return [];
    if (kind === 'paragraph') return [block];
    if (kind === 'heading') return [{ start, end, isMarked: true }];
    const isLine = kind === 'list' && nextLine(text, start, end) >= end;
    return isLine && blocks[index + BLOCKS_OF_LIST]?.depth !== 1 ? [block] : [];
  });
}
