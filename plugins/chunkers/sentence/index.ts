import type { Chunker, Factory } from '../../../core/kit.ts';
import { sentencesBy } from '../../toolkit/prose/index.ts';
import type manifest from './manifest.ts';
import type { SentenceOptions } from './manifest.ts';

const createSentenceChunker: Factory<typeof manifest> = (): Chunker<SentenceOptions> => ({
  chunk(text, options, context) {
    const sentences = sentencesBy(options);
    const limits = {
      size: options.chunk_size,
      overlap: options.chunk_overlap,
      minPieces: options.min_sentences_per_chunk,
      approximate: options.approximate,
    };
    return sentences.pack(text, sentences.boundaries(text), limits, context);
  },
});

export default createSentenceChunker;
