import type { Kit } from './contracts/plugin.ts';
import * as functions from './engine/kit.ts';

/**
 * The only door of plugins: everything that they import from the core, in the tree or outside it.
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

/** The functions exported here, as passed to every factory: for plugins that run without this package. */
export const kit: Kit = Object.freeze({ ...functions });
