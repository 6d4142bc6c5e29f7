/**
 * The core's API for plugins, both bundled and external; the second API is `plugins/toolkit/`. External plugins
 * import this file like this: `import { type Chunker, chunkSize, cutAtWhiteSpace } from 'chunksmith/kit'`.
 */

export type * from './contracts/chunk.ts';
export type * from './contracts/chunker.ts';
export type * from './contracts/chunker.ts';
export type * from './contracts/collaborators.ts';
export type * from './contracts/embedding.ts';
export type * from './contracts/manifest.ts';
export { PLUGIN_CONTRACT_VERSION } from './contracts/manifest.ts';
export type * from './contracts/plugin.ts';
export type * from './contracts/reader.ts';
export type * from './contracts/refinery.ts';
export type * from './contracts/sink.ts';
export type * from './contracts/tokenizer.ts';
export { removeCutsInClusters } from './engine/cuts/clusters.ts';
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
} from './engine/cuts/cuts.ts';
export { cutAtDelimiters, cutAtWordSigns } from './engine/cuts/delimiters.ts';
export { isLineBreak } from './engine/cuts/lines.ts';
export { createPointClasses } from './engine/cuts/point-classes.ts';
export { keepOptimised } from './engine/keep-optimised.ts';
export { isTitle } from './engine/packing/introductions.ts';
export { withFields } from './engine/packing/packing.ts';
export { countUpTo, countWhile, matchEnd } from './engine/search.ts';
export { exposedError, reasonOf, refusedError } from './errors.ts';
export * from './fields.ts';
export { hold } from './hold.ts';
export * from './options.ts';
