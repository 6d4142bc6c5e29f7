/** Markdown: the blocks of a text, and text as Markdown. */

export { findMarkdownBlocks } from './find-blocks.ts';
export type { BlockKind, MarkdownBlock } from './scan.ts';
export {
  delimiterRow,
  escapeBlockStarts,
  escapeCell,
  fencedCode,
  markdownHeading,
  markdownTable,
} from './write.ts';
