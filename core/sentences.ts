import type { ChunkContext, CutFinder, PackLimits, Span } from './contracts.ts';
import { cutAtDelimiters, cutAtWhiteSpace, type DelimiterSide, withMinimumPiece } from './cuts.ts';

/** The options by which chunkers find sentences (see `options.ts`). */
export interface SentenceRules {
  readonly delim: string | readonly string[];
  readonly include_delim: DelimiterSide;
  readonly min_characters_per_sentence: number;
  readonly oversize: 'keep' | 'split';
}

/** How the sentences of a text are found and packed. */
export interface Sentences {
  /** Finds where sentences end; one that is too short is joined to its neighbour. */
  readonly find: CutFinder;
  /**
   * Packs the sentences between rising edges into chunks of at most `size` tokens. A sentence that alone is
   * over the limit becomes a chunk of its own, or several where the rules say `split`.
   */
  pack(text: string, edges: ArrayLike<number>, limits: PackLimits, tools: PackTools): Span[];
}

export type PackTools = Pick<ChunkContext, 'pack' | 'divide'>;

export function sentencesBy(rules: SentenceRules): Sentences {
  const delimiters = typeof rules.delim === 'string' ? [rules.delim] : rules.delim;
  const findEnds = cutAtDelimiters(delimiters, rules.include_delim);

  return {
    find: withMinimumPiece(findEnds, rules.min_characters_per_sentence),

    pack(text, edges, limits, { pack, divide }) {
      const { size } = limits;
      const isOver = (span: Span) => (span.token_count as number) > size;
      // A sentence that is over the limit only because a short one was joined to it is parted from it.
      const parted = pack(edges, limits).flatMap((span) => {
        const ends = isOver(span) ? findEnds(text, span.start, span.end) : [];
        return ends.length === 0 ? [span] : pack([span.start, ...ends, span.end], { size });
      });
      if (rules.oversize === 'keep') return parted;
      return parted.flatMap((span) => (isOver(span) ? divide(span, [cutAtWhiteSpace], { size }) : [span]));
    },
  };
}
