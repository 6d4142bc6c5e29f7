/**
 * The toolkit for plugins outside the tree: `import { findMarkdownBlocks } from 'chunksmith/toolkit'`. Plugins in the
 * tree import the single files and folders instead. What only reads one format is not promised to others.
 */

export * from './chunk-batches.ts';
export * from './decode-unicode.ts';
export * from './diff.ts';
export * from './encoding-of-mark.ts';
export * from './encodings/index.ts';
export * from './growing-outline.ts';
export * from './heading-paths.ts';
export * from './hosted-sink.ts';
export * from './json/index.ts';
export * from './lines.ts';
export * from './log.ts';
export {
  type BlockKind,
  delimiterRow,
  escapeBlockStarts,
  escapeCell,
  fencedCode,
  findMarkdownBlocks,
  type MarkdownBlock,
  markdownHeading,
  markdownTable,
} from './markdown/index.ts';
export * from './markup/index.ts';
export * from './markup-cuts.ts';
export * from './minimum-pieces.ts';
export * from './numbered/index.ts';
export { type OfficeFile, openOfficeFile, type Relationship } from './office/index.ts';
export * from './placed-markdown.ts';
export * from './places.ts';
export * from './prompts.ts';
export * from './prose/index.ts';
export * from './running-total.ts';
export * from './separated-text.ts';
export * from './service-reader.ts';
export * from './uuid.ts';
