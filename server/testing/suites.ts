import type { Kind } from '../../core/contracts/manifest.ts';
import { chunkerSuite } from './contracts/chunker.ts';
import { embeddingSuite } from './contracts/embedding.ts';
import { readerSuite } from './contracts/reader.ts';
import { refinerySuite } from './contracts/refinery.ts';
import { sinkSuite } from './contracts/sink/contract.ts';
import { tokenizerSuite } from './contracts/tokenizer.ts';
import type { Suite } from './promises.ts';

export const SUITES: Readonly<Record<Kind, Suite>> = {
  chunker: chunkerSuite,
  refinery: refinerySuite,
  reader: readerSuite,
  sink: sinkSuite,
  embedding: embeddingSuite,
  tokenizer: tokenizerSuite,
};
