import type { Chunker, Span } from '../../../core/contracts.ts';
import { cutAtDelimiters, cutAtWhiteSpace, withMinimumPiece } from '../../../core/cuts.ts';
import type { SentenceOptions } from './manifest.ts';

export default function createSentenceChunker(): Chunker<SentenceOptions> {
  return {
    chunk(text, options, { pack, divide }) {
      const size = options.chunk_size;
      const delimiters = typeof options.delim === 'string' ? [options.delim] : options.delim;
      const findEnds = cutAtDelimiters(delimiters, options.include_delim);
      const findSentences = withMinimumPiece(findEnds, options.min_characters_per_sentence);
      const chunks = pack([0, ...findSentences(text, 0, text.length), text.length], {
        size,
        overlap: options.chunk_overlap,
        minPieces: options.min_sentences_per_chunk,
        approximate: options.approximate,
      });
      const isOver = (span: Span) => (span.token_count as number) > size;
      // A sentence that is over the limit only because a short one was joined to it is parted from it.
      const parted = chunks.flatMap((span) => {
        const ends = isOver(span) ? findEnds(text, span.start, span.end) : [];
        return ends.length === 0 ? [span] : pack([span.start, ...ends, span.end], { size });
      });
      if (options.oversize === 'keep') return parted;
      return parted.flatMap((span) => (isOver(span) ? divide(span, [cutAtWhiteSpace], { size }) : [span]));
    },
  };
}
