import { countWhile } from '../../../core/kit.ts';
import type { BlockKind, MarkdownBlock } from '../../toolkit/markdown/index.ts';

/** Whether a block contains others. */
export function isContainer({ kind }: MarkdownBlock): boolean {
  return kind === 'list' || kind === 'item' || kind === 'quote' || kind === 'footnote';
}

const RAW: ReadonlySet<BlockKind> = new Set(['fence', 'indented', 'html', 'raw', 'esm', 'front_matter']);

/** Whether the lines of a block are verbatim. */
export function isRaw({ kind }: MarkdownBlock): boolean {
  return RAW.has(kind);
}

/** The index of the last block that begins before an offset; -1 if there is none. */
export function lastBefore(blocks: readonly MarkdownBlock[], offset: number): number {
  return countWhile(blocks, ({ start }) => start < offset) - 1;
}
