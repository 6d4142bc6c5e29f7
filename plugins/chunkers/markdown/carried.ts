import type { Carried } from '../../../core/contracts/structure.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import { lastBefore, nextLine } from './blocks.ts';
import type { Markdown } from './fields.ts';
import type { MarkdownOptions } from './manifest.ts';

/** Says what a chunk carries that begins at an offset. */
export function carriedIn({ text, leaves, paths }: Markdown, carry: MarkdownOptions['carry']) {
  if (carry.length === 0) return undefined;
  const openings = new Map<MarkdownBlock, string>();

  function openingAt(start: number): string | undefined {
    const leaf = leaves[lastBefore(leaves, start)];
    if (leaf === undefined || start >= leaf.end) return undefined;
    const isWanted =
      leaf.kind === 'table' ? carry.includes('header') : leaf.kind === 'fence' && carry.includes('fence');
    const end = leaf.kind === 'table' ? leaf.inner : nextLine(text, leaf.start, leaf.end);
    if (!isWanted || start < end) return undefined;
    const opening = openings.get(leaf) ?? text.slice(leaf.start, end);
    openings.set(leaf, opening);
    return opening;
  }

  return (start: number): Carried => ({
    path: carry.includes('headings') ? paths.above(start) : undefined,
    opening: openingAt(start),
  });
}
