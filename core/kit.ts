import type { Kit } from './contracts/plugin.ts';
import * as functions from './engine/kit.ts';

/**
 * The one door of plugins: all that those in the tree import of the core, which is all that those outside it can.
 * Outside: `import { type Chunker, chunkSize, nextLine } from 'chunksmith/kit'`.
 */

export type * from './contracts/chunk.ts';
export type * from './contracts/chunker.ts';
export type * from './contracts/collaborators.ts';
export type * from './contracts/embedding.ts';
export type * from './contracts/manifest.ts';
export { PLUGIN_CONTRACT_VERSION } from './contracts/manifest.ts';
export type * from './contracts/plugin.ts';
export type * from './contracts/reader.ts';
export type * from './contracts/refinery.ts';
export type * from './contracts/sink.ts';
export type * from './contracts/structure.ts';
export type * from './contracts/tokenizer.ts';
export * from './engine/kit.ts';
export * from './fields.ts';
export * from './options.ts';

/** The functions that are exported here, as every factory is given them: for plugins that run without this package. */
export const kit: Kit = Object.freeze({ ...functions });
