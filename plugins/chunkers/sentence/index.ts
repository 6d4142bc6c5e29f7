import type { Chunker } from '../../../core/contracts.ts';
import { sentencesBy } from '../../../core/sentences.ts';
import type { SentenceOptions } from './manifest.ts';

export default function createSentenceChunker(): Chunker<SentenceOptions> {
  return {
    chunk(text, options, context) {
      const sentences = sentencesBy(options);
      const ends = sentences.find(text, 0, text.length);
      const limits = {
        size: options.chunk_size,
        overlap: options.chunk_overlap,
        minPieces: options.min_sentences_per_chunk,
        approximate: options.approximate,
      };
      return sentences.pack(text, [0, ...ends, text.length], limits, context);
    },
  };
}
