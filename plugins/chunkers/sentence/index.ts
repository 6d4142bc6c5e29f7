import type { Chunker, Span } from '../../../core/contracts.ts';
import { cutAtDelimiters, cutAtWhiteSpace, withMinimumPiece } from '../../../core/cuts.ts';
import type { SentenceOptions } from './manifest.ts';

export default function createSentenceChunker(): Chunker<SentenceOptions> {
  return {
    chunk(text, options, { pack, divide }) {
      const size = options.chunk_size;
      const delimiters = typeof options.delim === 'string' ? [options.delim] : options.delim;
      const find = withMinimumPiece(
        cutAtDelimiters(delimiters, options.include_delim),
        options.min_characters_per_sentence,
      );
      const cuts = find(text, 0, text.length);
      const chunks = pack([0, ...cuts, text.length], {
        size,
        overlap: options.chunk_overlap,
        minPieces: options.min_sentences_per_chunk,
        approximate: options.approximate,
      });
      if (options.oversize === 'keep') return chunks;
      const split = (span: Span) => divide(span, [cutAtWhiteSpace], { size });
      return chunks.flatMap((span) => ((span.token_count as number) > size ? split(span) : [span]));
    },
  };
}
