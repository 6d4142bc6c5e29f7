/**
 * What plugins are written with: `kit`, which every factory is given, and the types of all contracts. Outside the
 * tree: `import type { Chunker, Manifest } from 'chunksmith/kit'`.
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
export { type Kit, kit } from './engine/kit.ts';
