/** Markdown: the blocks of a text, and text as Markdown. */

export { MarkdownDocument, type SpanningCell } from './document.ts';
export { findMarkdownBlocks } from './find-blocks.ts';
export { FormattedText, PLAIN_TEXT, type TextFormat } from './formatted-text.ts';
export { letterNumeral, raised, romanNumeral } from './numerals.ts';
export type { BlockKind, MarkdownBlock } from './scan.ts';
export {
  delimiterRow,
  escapeBlockStarts,
  escapeCell,
  fencedCode,
  markdownHeading,
  markdownTable,
  tableRow,
} from './write.ts';
