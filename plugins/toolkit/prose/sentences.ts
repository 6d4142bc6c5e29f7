import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, CutFinder, PackLimits } from '../../../core/contracts/chunker.ts';
import { noFlags, removeCutsInClusters } from '../../../core/engine/cuts/clusters.ts';
import { cutAtOffsets, cutAtWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters, type DelimiterSide } from '../../../core/engine/cuts/delimiters.ts';
import { endOfContent, isBlankUnit } from '../../../core/engine/cuts/lines.ts';
import { isTitle, shortLineStart } from '../../../core/engine/packing/introductions.ts';
import { withMinimumPiece } from '../minimum-pieces.ts';
import { cutAtSentenceEnds } from './cut-at-marks.ts';
import { findSentences } from './find-sentences.ts';
import { delimiters } from './options.ts';
import { SENTENCE_MARKS } from './sentence-marks.ts';

interface SentenceRules {
  /** How to find sentences; default `delimiters`. */
  readonly sentences?: 'delimiters' | 'rules';
  /** The language for `rules` (BCP 47); default `en`. */
  readonly lang?: string;
  readonly delim: string | readonly string[];
  /** The piece that a delimiter belongs to. `null` means `prev`, because no delimiter may be lost. */
  readonly include_delim: DelimiterSide | null;
  readonly min_characters_per_sentence: number;
  readonly oversize: 'keep' | 'split';
}

export interface Sentences {
  /**
   * The boundaries of all sentences of a text, including both ends of the text. A short sentence is joined to its
   * neighbour, and a title to the next sentence.
   */
  boundaries(text: string): number[];
  /**
   * Packs the sentences between rising boundaries into chunks of at most `size` tokens. If `oversize` is `split`, a
   * longer sentence is divided; otherwise it is a chunk by itself.
   */
  pack(
    text: string,
    boundaries: ArrayLike<number>,
    limits: PackLimits,
    tools: Pick<ChunkContext, 'pack' | 'divide'>,
  ): Span[];
}

/** Minimum code points of a piece, so that CRLF or another line break does not become a chunk. */
const MIN_CHARACTERS = 3;

export function sentencesBy(rules: SentenceRules): Sentences {
  const findAll = rules.sentences === 'rules' ? cutAtRules(rules.lang) : cutAtDelim(rules);
  const findEnds: CutFinder = (text, start, end) =>
    removeCutsInClusters(findAll(text, start, end), text, noFlags(), false);
  const findLongEnds = withMinimumPiece(findEnds, rules.min_characters_per_sentence);

  return {
    boundaries(text) {
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
      // A short sentence was joined to a sentence that alone exceeds the limit. Separates the two again.
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

/** Finds the sentences of the whole text once, because the end of a sentence depends on the text around it. */
function cutAtRules(lang = 'en'): CutFinder {
  let read: { readonly text: string; readonly findIn: CutFinder } | undefined;
  return (text, start, end) => {
    if (read?.text !== text) read = { text, findIn: cutAtOffsets(findSentences(text, lang)) };
    return read.findIn(text, start, end);
  };
}

const MAX_IN_A_ROW = 6;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Joins each title to the next sentence: removes, in place, the boundaries inside the title and after it. */
function joinTitles(text: string, boundaries: number[]): number[] {
  let kept = 0;
  let removed: number[] = [];
  let lastEnd = -1;
  for (let index = 0; index < boundaries.length; index++) {
    const boundary = boundaries[index] as number;
    const end = isBesideBlankLine(text, boundary) ? endOfContent(text, 0, boundary) : boundary;
    if (end === lastEnd) continue;
    const start = end < boundary ? titleStart(text, end) : -1;
    if (start === -1) boundaries[kept++] = boundary;
    else {
      while (kept > 0 && (boundaries[kept - 1] as number) > start) kept--;
      if (endOfContent(text, 0, start) !== lastEnd) removed = [];
      removed.push(boundary);
      if (removed.length > MAX_IN_A_ROW) boundaries[kept++] = removed.shift() as number;
      lastEnd = end;
    }
  }
  boundaries.length = kept;
  return boundaries;
}

function isBesideBlankLine(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== LINE_FEED) return false;
  const before = text.charCodeAt(at - 2);
  return (
    isSpace(text.charCodeAt(at)) || isSpace(before === CARRIAGE_RETURN ? text.charCodeAt(at - 3) : before)
  );
}

function isSpace(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN || isBlankUnit(unit);
}

function titleStart(text: string, end: number): number {
  const start = shortLineStart(text, end);
  return start !== -1 && isTitle(text, start, end) ? start : -1;
}
