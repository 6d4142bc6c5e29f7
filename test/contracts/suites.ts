import type { Kind } from '../../core/contracts/manifest.ts';
import { checkChunker } from './chunker-contract.ts';
import { checkEmbedding } from './embedding-contract.ts';
import type { Suite } from './promises.ts';
import { checkReader } from './reader-contract.ts';
import { checkRefinery } from './refinery-contract.ts';
import { checkSink } from './sink-contract.ts';
import { checkTokenizer } from './tokenizer-contract.ts';

/** One suite for each kind of plugin. */
export const SUITES: Readonly<Record<Kind, Suite>> = {
  chunker: checkChunker,
  refinery: checkRefinery,
  reader: checkReader,
  sink: checkSink,
  embedding: checkEmbedding,
  tokenizer: checkTokenizer,
};
