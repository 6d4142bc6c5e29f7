import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { TokenOptions } from './manifest.ts';

export default function createTokenChunker(): Chunker<TokenOptions> {
  return {
    chunk: (_text, { chunk_size, chunk_overlap }, { windows }) => windows(chunk_size, chunk_overlap),
  };
}
