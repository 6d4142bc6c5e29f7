import type { Chunker } from '../../../core/kit.ts';
import type { TokenOptions } from './manifest.ts';

export default function createTokenChunker(): Chunker<TokenOptions> {
  return {
    chunk: (_text, { chunk_size, chunk_overlap }, { windows }) => windows(chunk_size, chunk_overlap),
  };
}
