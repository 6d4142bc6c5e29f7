import type { Span } from '../../../core/kit.ts';
import { afterLineBreak, nextLine } from '../../toolkit/lines.ts';
import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';
import { findNumberedHeadings, type HeadingLines } from '../../toolkit/numbered/index.ts';

/** Blocks of which some are headings by their numbers, and the names of those by their offsets. */
export interface NumberedBlocks {
  readonly blocks: readonly MarkdownBlock[];
  readonly names: ReadonlyMap<number, string>;
}

/** Makes headings of the lines that are headings only by their numbers, below the marked heading above them. */
export function withNumberedHeadings(text: string, blocks: readonly MarkdownBlock[]): NumberedBlocks {
  const found = findNumberedHeadings(text, headingLines(text, blocks));
  const levels = new Map(found.map(({ start, level }) => [start, level]));
  const marked = new Set(blocks.flatMap((block) => (isHeading(block) ? block.start : [])));
  const own = found.filter(({ start }) => !marked.has(start));
  const ranges = own.map(({ start, end }) => ({ start, end: endOfHeading(text, end) }));
  const made: MarkdownBlock[] = [];
  // How much deeper numbered headings are than found, because of the marked one above them.
  let shift = 0;
  let next = 0;
  let done = 0;
  for (const block of blocks) {
    if (isHeading(block)) shift = block.level - (levels.get(block.start) ?? 0);
    if (block.depth > 0 && block.start < done) continue;
    let at = Math.max(block.start, done);
    for (; next < ranges.length && (ranges[next] as Span).start < block.end; next++) {
      const { start, end } = ranges[next] as Span;
      if (start > at) made.push(paragraph(text, at, start));
      const level = Math.max(shift + (levels.get(start) as number), 1);
      made.push({ ...paragraph(text, start, end), kind: 'heading', level });
      at = end;
      done = end;
    }
    if (at === block.start) made.push(block);
    else if (at < block.end) made.push(paragraph(text, at, block.end));
  }
  return { blocks: made, names: new Map(own.map(({ start, name }) => [start, name])) };
}

function isHeading({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

function paragraph(text: string, start: number, end: number): MarkdownBlock {
  const indent = /^[ \t]*/.exec(text.slice(start, Math.min(end, start + 200)))?.[0].length ?? 0;
  return { kind: 'paragraph', start, end, depth: 0, level: 0, inner: start + indent };
}

/** The end of a heading with its line break; text that follows it on its line is not part of it. */
function endOfHeading(text: string, end: number): number {
  return end < text.length && /[\r\n]/.test(text.charAt(end)) ? afterLineBreak(text, end) : end;
}

/** The lines of paragraphs, and items of a single line that look like a list of one item. */
function headingLines(text: string, blocks: readonly MarkdownBlock[]): readonly HeadingLines[] {
  return blocks.flatMap((block, index): readonly HeadingLines[] => {
    const { kind, depth, start, end } = block;
    if (depth > 0) return [];
    if (kind === 'paragraph') return [block];
    if (kind === 'heading') return [{ start, end, isMarked: true }];
    const isLine = kind === 'list' && nextLine(text, start, end) >= end;
    // A list, its item and the text of that.
    return isLine && blocks[index + 3]?.depth !== 1 ? [block] : [];
  });
}
