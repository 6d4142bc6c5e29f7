import {
  isWhiteSpace,
  type Refinery,
  removeCutsInClusters,
  splitsCodePoint,
  type TokenizedText,
} from '../../../core/kit.ts';
import { SENTENCE_MARKS } from '../../toolkit/prose/index.ts';
import type { OverlapOptions } from './manifest.ts';

export default function createOverlapRefinery(): Refinery<OverlapOptions, 'tokenizer'> {
  return {
    refine(chunks, options, { tokenizer, surround, signal }) {
      const { method, merge } = options;
      const last = chunks.length - 1;
      const given = chunks.map(({ text }, index) => {
        signal.throwIfAborted();
        const toPrevious = method !== 'prefix' && index > 0;
        const toNext = method !== 'suffix' && index < last;
        if (!toPrevious && !toNext) return NOTHING;
        const neighbour = readNeighbour(text, tokenizer.tokenize(text), options);
        return { head: toPrevious ? neighbour.head() : '', tail: toNext ? neighbour.tail() : '' };
      });
      return chunks.map((chunk, index) => {
        signal.throwIfAborted();
        const prefix = given[index - 1]?.tail ?? '';
        const suffix = given[index + 1]?.head ?? '';
        const context = joined(chunk.context, prefix + suffix);
        if (!merge) return { ...chunk, context };
        const text = prefix + chunk.text + suffix;
        const token_count = tokenizer.tokenize(text).count(0, text.length);
        return surround(chunk, prefix, suffix, { token_count, context });
      });
    },
  };
}

function joined(carried: unknown, given: string): string | null {
  const known = typeof carried === 'string' ? carried : '';
  return known !== '' && given !== '' ? `${known}\n${given}` : known + given || null;
}

/** Text of a chunk that its neighbours get as context: `head` for the previous chunk, `tail` for the next. */
interface Given {
  readonly head: string;
  readonly tail: string;
}

const NOTHING: Given = { head: '', tail: '' };

function readNeighbour(text: string, tokens: TokenizedText, { context_size, mode }: OverlapOptions) {
  const ends = tokens.ends();
  const size = context_size < 1 ? Math.max(Math.round(context_size * ends.length), 1) : context_size;
  const fits = (start: number, end: number) => tokens.count(start, end) <= size;

  return {
    head(): string {
      if (size >= ends.length) return text;
      const limit = headLimit(ends, size);
      if (mode === 'token') return text.slice(0, limit);
      const cut = coarsest(headEnds(text, limit), (ends) => ends.findLast((end) => fits(0, end)));
      return text.slice(0, cut ?? wholeClusters(text, limit, -1, (end) => fits(0, end)));
    },

    tail(): string {
      if (size >= ends.length) return text;
      const limit = tailLimit(ends, size);
      if (mode === 'token') return text.slice(limit);
      const cut = coarsest(tailStarts(text, limit), (starts) =>
        starts.find((start) => fits(start, text.length)),
      );
      return text.slice(cut ?? wholeClusters(text, limit, 1, (start) => fits(start, text.length)));
    },
  };
}

/** The end of the first `size` tokens, or of more tokens if the text would otherwise be empty. */
function headLimit(ends: Uint32Array, size: number): number {
  let last = size - 1;
  while (ends[last] === 0 && last < ends.length - 1) last++;
  return ends[last] as number;
}

/** The start of the last `size` tokens, moved back to the start of a code point. */
function tailLimit(ends: Uint32Array, size: number): number {
  let first = ends.length - size;
  while (first > 0 && ends[first - 1] === ends[first]) first--;
  return first === 0 ? 0 : (ends[first - 1] as number);
}

const MAX_TRIES = 16;

/**
 * The grapheme boundary nearest to `limit` in direction `step` at which the context fits. Only the first
 * `MAX_TRIES` boundaries are tried; `limit` if none of them fits.
 */
function wholeClusters(text: string, limit: number, step: 1 | -1, fits: (cut: number) => boolean): number {
  let tries = splitsCluster(text, limit) ? MAX_TRIES : 0;
  for (let at = limit; tries > 0 && at > 0 && at < text.length; at += step) {
    if (splitsCodePoint(text, at) || splitsCluster(text, at)) continue;
    if (fits(at)) return at;
    tries--;
  }
  return limit;
}

function coarsest(
  { paragraph, line, sentence, word }: Boundaries,
  longest: (cuts: readonly number[]) => number | undefined,
): number | undefined {
  return longest(paragraph) ?? longest(line) ?? longest(sentence) ?? longest(word);
}

type Boundaries = Readonly<Record<Level, number[]>>;

type Level = 'paragraph' | 'line' | 'sentence' | 'word';

/** Possible ends of a head up to `limit`: before a gap of white space, or after line breaks in the gap. */
function headEnds(text: string, limit: number): Boundaries {
  const ends = noBoundaries();
  forEachGap(text, 0, limit, ({ level, start, lineStart }) => {
    if (start === 0) return;
    ends[level].push(start);
    if (lineStart > start && lineStart <= limit) ends[level].push(lineStart);
  });
  return ends;
}

/** Possible starts of a tail from `limit` on: after a gap of white space, but before a line's indentation. */
function tailStarts(text: string, limit: number): Boundaries {
  const starts = noBoundaries();
  forEachGap(text, limit, text.length, ({ level, end, lineStart }) => {
    if (end < text.length) starts[level].push(lineStart >= limit ? lineStart : end);
  });
  return starts;
}

function noBoundaries(): Boundaries {
  return { paragraph: [], line: [], sentence: [], word: [] };
}

interface Gap {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
}

function forEachGap(text: string, from: number, to: number, visit: (gap: Gap) => void): void {
  let at = whiteSpaceStart(text, from);
  let previous = at === 0 ? 0 : text.charCodeAt(at - 1);
  while (at < text.length && at <= to) {
    const unit = text.charCodeAt(at);
    if (isWhiteSpace(unit)) {
      const end = whiteSpaceEnd(text, at);
      visit(gapOf(text, at, end));
      at = end;
    } else {
      if (endsAlone(previous)) visit({ level: 'sentence', start: at, end: at, lineStart: at });
      at++;
    }
    previous = unit;
  }
}

function whiteSpaceStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && isWhiteSpace(text.charCodeAt(start - 1))) start--;
  return start;
}

function whiteSpaceEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWhiteSpace(text.charCodeAt(end))) end++;
  return end;
}

function gapOf(text: string, start: number, end: number): Gap {
  let breaks = 0;
  let lineStart = end;
  for (let at = start; at < end; at++) {
    if (breaksLine(text, at)) {
      breaks++;
      lineStart = at + 1;
    }
  }
  if (breaks > 0) return { level: breaks > 1 ? 'paragraph' : 'line', start, end, lineStart };
  const follows = start === 0 ? 0 : text.charCodeAt(start - 1);
  const isSentence = ENDS.includes(follows) || endsAlone(follows);
  return { level: isSentence ? 'sentence' : 'word', start, end, lineStart };
}

function breaksLine(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
}

const ENDS = [...'.!?'].map((mark) => mark.charCodeAt(0));

/** Marks that end a sentence even without white space after them. */
const ENDS_ALONE = new Set(SENTENCE_MARKS.map((mark) => mark.charCodeAt(0)));
const FIRST_ALONE = Math.min(...ENDS_ALONE);

function endsAlone(unit: number): boolean {
  return unit >= FIRST_ALONE && ENDS_ALONE.has(unit);
}

/** Maximum UTF-16 units before an offset in which regional indicators (halves of flags) are counted. */
const MAX_FLAGS = 256;

/** Whether an offset between code points is within a grapheme cluster. CR LF is one cluster. */
export function splitsCluster(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const floor = Math.max(offset - MAX_FLAGS, 0);
  return removeCutsInClusters([offset], text, { start: floor, end: floor }, true).length === 0;
}
