/**
 * The functions that plugins build on, in the tree or outside it: `kit.ts` above exports each by name, and all of
 * them as `kit`, which every factory gets.
 */

export { exposedError, reasonOf, refusedError } from '../errors.ts';
export { hold } from '../hold.ts';
export { SENTENCE_MARKS } from '../sentence-marks.ts';
export { vectorJson } from './ascii-numbers.ts';
export { batchChunks } from './chunk-batches.ts';
export { splitsCluster } from './cuts/clusters.ts';
export {
  countCodePoints,
  cutAtCodePoints,
  cutAtOffsets,
  cutAtTokens,
  cutAtWhiteSpace,
  embeddedText,
  isBlank,
  isWhiteSpace,
  splitsCodePoint,
  withMinimumPiece,
} from './cuts/cuts.ts';
export { cutAtDelimiters, cutAtLineStarts, cutAtWordSigns, type DelimiterSide } from './cuts/delimiters.ts';
export {
  afterLineBreak,
  cutAfterBlankLines,
  isLineBreak,
  LineEnds,
  nextLine,
  startOnLine,
} from './cuts/lines.ts';
export { decodeUnicode, encodingOfMark } from './decode-unicode.ts';
export { type DiffFile, type DiffParts, findDiffParts } from './diff.ts';
export { parseExactJson, rawNumbersIn } from './exact-json.ts';
export { keepOptimised } from './keep-optimised.ts';
export { findLogEntries, type LogEntry } from './log.ts';
export type { BlockKind, MarkdownBlock } from './markdown/block.ts';
export { findMarkdownBlocks } from './markdown/find-blocks.ts';
export {
  escapeBlockStarts,
  fencedCode,
  inCell,
  markdownHeading,
  markdownTable,
  tableRule,
} from './markdown/write.ts';
export { MarkupReader } from './markup.ts';
export { type MarkupSyntax, markupSyntaxOf } from './markup-syntax.ts';
export type { HeadingLines } from './numbered/candidates.ts';
export { findNumberedHeadings, type NumberedHeading } from './numbered/find.ts';
export { type OfficeFile, openOfficeFile, type Relationship } from './office-file.ts';
export { isTitle } from './packing/titles.ts';
export { cellRange, columnNumber, placesOfPages } from './places.ts';
export { PROMPTS_FILE, type Prompts, promptsOf, withPrompt } from './prompts.ts';
export { cutAtClauseEnds, cutAtSentenceEnds } from './prose/cut-at-marks.ts';
export { type PackTools, type SentenceRules, type Sentences, sentencesBy } from './prose/sentences.ts';
export { createRunningTotal, createSeparatedText, utf16Units } from './running-total.ts';
export { countUpTo, countWhile, matchEnd } from './search.ts';
export { type Heading, type HeadingPaths, headingPaths } from './structure/heading-paths.ts';
export { withFields } from './structure/span-fields.ts';
export { type TemplateKind, templateKindOf } from './template-kind.ts';
export { toUuid } from './uuid.ts';
export { decodeReferences, readXml, type XmlAttributes, type XmlHandlers } from './xml.ts';
export { unzip } from './zip.ts';
