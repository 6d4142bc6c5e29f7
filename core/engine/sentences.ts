import type { Span } from '../contracts/chunk.ts';
import type { ChunkContext, PackLimits } from '../contracts/chunker.ts';
import { cutAtWhiteSpace, withMinimumPiece } from './cuts.ts';
import { cutAtDelimiters, type DelimiterSide } from './delimiters.ts';

/** The options by which chunkers find sentences (see `options.ts`). */
export interface SentenceRules {
  readonly delim: string | readonly string[];
  readonly include_delim: DelimiterSide;
  readonly min_characters_per_sentence: number;
  readonly oversize: 'keep' | 'split';
}

/** How the sentences of a text are found and packed. */
export interface Sentences {
  /** The boundaries of all sentences of a text, both ends included; one that is too short is joined to its neighbour. */
  boundaries(text: string): number[];
  /**
   * Packs the sentences between rising boundaries into chunks of at most `size` tokens. A sentence that alone is
   * over the limit becomes a chunk of its own, or several if the rules say `split`.
   */
  pack(text: string, boundaries: ArrayLike<number>, limits: PackLimits, tools: PackTools): Span[];
}

export type PackTools = Pick<ChunkContext, 'pack' | 'divide'>;

export function sentencesBy(rules: SentenceRules): Sentences {
  const delimiters = typeof rules.delim === 'string' ? [rules.delim] : rules.delim;
  const findEnds = cutAtDelimiters(delimiters, rules.include_delim);

  const findLongEnds = withMinimumPiece(findEnds, rules.min_characters_per_sentence);

  return {
    boundaries: (text) => [0, ...findLongEnds(text, 0, text.length), text.length],

    pack(text, boundaries, limits, { pack, divide }) {
      const { size } = limits;
      const isOver = (span: Span) => (span.token_count as number) > size;
      const packed = pack(boundaries, limits);
      if (!packed.some(isOver)) return packed;
      // If a sentence is over the limit only because a short one was joined to it, the two are separated again.
      const parted = packed.flatMap((span) => {
        const ends = isOver(span) ? findEnds(text, span.start, span.end) : [];
        return ends.length === 0 ? [span] : pack([span.start, ...ends, span.end], { size });
      });
      if (rules.oversize === 'keep') return parted;
      return parted.flatMap((span) => (isOver(span) ? divide(span, [cutAtWhiteSpace], { size }) : [span]));
    },
  };
}
