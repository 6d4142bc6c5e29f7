import type { Carried } from '../../../core/contracts/structure.ts';
import { nextLine } from '../../../core/engine/line-breaks.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import { lastBefore } from './blocks.ts';
import type { Markdown } from './fields.ts';
import type { MarkdownOptions } from './manifest.ts';

type Carry = MarkdownOptions['carry'];

/** Says what a chunk carries that begins at an offset; undefined if none carries anything. */
export function carriedIn(markdown: Markdown, carry: Carry): ((start: number) => Carried) | undefined {
  if (carry.length === 0) return undefined;
  const { leaves, paths } = markdown;
  const openingOf = openings(markdown, carry);
  const hasPath = carry.includes('headings');
  return (start) => {
    const leaf = leaves[lastBefore(leaves, start)];
    const opening = leaf !== undefined && start < leaf.end ? openingOf(leaf) : undefined;
    return {
      path: hasPath ? paths.above(start) : undefined,
      opening: opening !== undefined && start >= opening.end ? opening.text : undefined,
    };
  };
}

/** What a table or fence begins with, and where that ends. */
interface Opening {
  readonly end: number;
  readonly text: string;
}

/** Finds the openings of blocks, once each: a line may be as long as the text. */
function openings({ text }: Markdown, carry: Carry): (leaf: MarkdownBlock) => Opening | undefined {
  const found = new Map<MarkdownBlock, Opening>();
  return (leaf) => {
    const { kind, start, end, inner } = leaf;
    if (kind !== 'table' && kind !== 'fence') return undefined;
    if (!carry.includes(kind === 'table' ? 'header' : 'fence')) return undefined;
    const known = found.get(leaf);
    if (known !== undefined) return known;
    const behind = kind === 'table' ? inner : nextLine(text, start, end);
    const opening = { end: behind, text: text.slice(start, behind) };
    found.set(leaf, opening);
    return opening;
  };
}
