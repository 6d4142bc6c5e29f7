import { exposedError, refusedError } from '../errors.ts';
import { batchChunks } from './chunk-batches.ts';
import {
  countCodePoints,
  cutAtCodePoints,
  cutAtOffsets,
  cutAtWhiteSpace,
  isBlank,
  splitsCodePoint,
  withMinimumPiece,
} from './cuts.ts';
import { cutAtDelimiters, cutAtLineStarts } from './delimiters.ts';
import { parseExactJson, rawNumbersIn } from './exact-json.ts';
import { headingPaths } from './heading-paths.ts';
import { findMarkdownBlocks } from './markdown/find-blocks.ts';
import { sentencesBy } from './sentences.ts';

/**
 * What plugins build on. Every factory gets it as `kit`, so a plugin outside the tree can do everything that a
 * built-in one can.
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
  parseExactJson,
  rawNumbersIn,
  exposedError,
  refusedError,
});

export type Kit = typeof kit;
