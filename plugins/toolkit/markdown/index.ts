/** Markdown: the blocks of a text, and text as Markdown. */

export type { BlockKind, MarkdownBlock } from './block.ts';
export { findMarkdownBlocks } from './find-blocks.ts';
export {
  delimiterRow,
  escapeBlockStarts,
  escapeCell,
  fencedCode,
  markdownHeading,
  markdownTable,
} from './write.ts';
