import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, CutFinder, PackLimits } from '../../../core/contracts/chunker.ts';
import { noFlags, removeCutsInClusters } from '../../../core/engine/cuts/clusters.ts';
import { cutAtOffsets, cutAtWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters, type DelimiterSide } from '../../../core/engine/cuts/delimiters.ts';
import { withMinimumPiece } from '../minimum-pieces.ts';
import { cutAtSentenceEnds } from './cut-at-marks.ts';
import { findSentences } from './find-sentences.ts';
import { delimiters } from './options.ts';
import { SENTENCE_MARKS } from './sentence-marks.ts';
import { joinTitles } from './titles.ts';

/** The options by which chunkers find sentences (see `options.ts`). */
export interface SentenceRules {
  /** What ends a sentence: delimiters, by default, or the rules of prose in a language. */
  readonly sentences?: 'delimiters' | 'rules';
  /** The language of the rules (BCP 47). Default `en`. */
  readonly lang?: string;
  readonly delim: string | readonly string[];
  /** `null` is `prev`: a delimiter is never lost. */
  readonly include_delim: DelimiterSide | null;
  readonly min_characters_per_sentence: number;
  readonly oversize: 'keep' | 'split';
}

/** How the sentences of a text are found and packed. */
export interface Sentences {
  /**
   * The boundaries of all sentences of a text, including both ends; one that is too short is joined to its neighbour,
   * and a title to the sentence after it.
   */
  boundaries(text: string): number[];
  /**
   * Packs the sentences between rising boundaries into chunks of at most `size` tokens. A sentence that is over the
   * limit by itself becomes a chunk of its own, or several if the rules say `split`.
   */
  pack(text: string, boundaries: ArrayLike<number>, limits: PackLimits, tools: PackTools): Span[];
}

/** A line break alone is not a chunk. */
const MIN_CHARACTERS = 3;

export type PackTools = Pick<ChunkContext, 'pack' | 'divide'>;

/** Finds and packs sentences by these rules. */
export function sentencesBy(rules: SentenceRules): Sentences {
  const findAll = rules.sentences === 'rules' ? cutAtRules(rules.lang) : cutAtDelim(rules);
  const findEnds: CutFinder = (text, start, end) =>
    removeCutsInClusters(findAll(text, start, end), text, noFlags(), false);
  const findLongEnds = withMinimumPiece(findEnds, rules.min_characters_per_sentence);

  return {
    boundaries(text) {
      // Not spread into another list, which takes a hundred times as long.
      const boundaries = joinTitles(text, findLongEnds(text, 0, text.length));
      boundaries.unshift(0);
      boundaries.push(text.length);
      return boundaries;
    },

    pack(text, boundaries, limits, { pack, divide }) {
      const { size } = limits;
      const isOver = (span: Span) => (span.token_count as number) > size;
      const packed = pack(boundaries, limits);
      if (!packed.some(isOver)) return packed;
      if (rules.oversize === 'split') {
        const finders = [findEnds, cutAtWhiteSpace];
        return packed.flatMap((span) =>
          isOver(span)
            ? divide(span, finders, { size, minCharacters: MIN_CHARACTERS, titles: true })
            : [span],
        );
      }
      // If a sentence is over the limit only because a short one was joined to it, the two are separated again.
      return packed.flatMap((span) => {
        const ends = isOver(span) ? findEnds(text, span.start, span.end) : [];
        return ends.length === 0 ? [span] : pack([span.start, ...ends, span.end], { size });
      });
    },
  };
}

function cutAtDelim({ delim, include_delim }: SentenceRules): CutFinder {
  const side = include_delim ?? 'prev';
  if (typeof delim === 'string') return cutAtDelimiters([delim], side);
  return isDefault(delim) ? cutAtSentenceEnds(BEFORE_SPACE, side) : cutAtDelimiters(delim, side);
}

const DEFAULT: readonly string[] = delimiters.default;
const BEFORE_SPACE = DEFAULT.filter((delimiter) => !SENTENCE_MARKS.includes(delimiter));

function isDefault(delim: readonly string[]): boolean {
  return delim.length === DEFAULT.length && delim.every((delimiter, index) => delimiter === DEFAULT[index]);
}

/** The rules read the whole text at once, because the context of a sentence tells where it ends. */
function cutAtRules(lang = 'en'): CutFinder {
  let read: { readonly text: string; readonly findIn: CutFinder } | undefined;
  return (text, start, end) => {
    if (read?.text !== text) read = { text, findIn: cutAtOffsets(findSentences(text, lang)) };
    return read.findIn(text, start, end);
  };
}
