import { batchChunks } from './engine/chunk-batches.ts';
import { cutAtCodePoints, cutAtOffsets, cutAtWhiteSpace, withMinimumPiece } from './engine/cuts.ts';
import { cutAtDelimiters, cutAtLineStarts } from './engine/delimiters.ts';
import { headingPaths } from './engine/heading-paths.ts';
import { findMarkdownBlocks } from './engine/markdown/find-blocks.ts';
import { sentencesBy } from './engine/sentences.ts';
import { countCodePoints, isBlank, splitsCodePoint } from './engine/text.ts';
import { exposedError } from './errors.ts';

/**
 * What plugins build on. Every factory gets it as `kit`, so that a plugin outside the tree can do all that one
 * inside can.
 */
export const kit = Object.freeze({
  cutAtCodePoints,
  cutAtDelimiters,
  cutAtLineStarts,
  cutAtOffsets,
  cutAtWhiteSpace,
  withMinimumPiece,
  sentencesBy,
  headingPaths,
  findMarkdownBlocks,
  countCodePoints,
  isBlank,
  splitsCodePoint,
  batchChunks,
  exposedError,
});

export type Kit = typeof kit;
