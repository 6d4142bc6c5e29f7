import { isWhiteSpace, type Refinery, splitsCodePoint, type TokenizedText } from '../../../core/kit.ts';
import { SENTENCE_MARKS } from '../../toolkit/prose/index.ts';
import { splitsCluster } from './clusters.ts';
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

/** The chunk's existing context, followed by the context from its neighbours; null if there is neither. */
function joined(carried: unknown, given: string): string | null {
  const known = typeof carried === 'string' ? carried : '';
  return known !== '' && given !== '' ? `${known}\n${given}` : known + given || null;
}

/** The ends of its own text that a chunk gives to its neighbours: the head to the previous, the tail to the next. */
interface Given {
  readonly head: string;
  readonly tail: string;
}

const NOTHING: Given = { head: '', tail: '' };

/** Reads the tokens of a neighbour once, for both of its ends. */
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

/** End of the first `size` tokens; a first token without text of its own includes the following ones. */
function headLimit(ends: Uint32Array, size: number): number {
  let last = size - 1;
  while (ends[last] === 0 && last < ends.length - 1) last++;
  return ends[last] as number;
}

/** Start of the last `size` tokens; if it falls inside a code point, that code point's start. */
function tailLimit(ends: Uint32Array, size: number): number {
  let first = ends.length - size;
  while (first > 0 && ends[first - 1] === ends[first]) first--;
  return first === 0 ? 0 : (ends[first - 1] as number);
}

/** Maximum number of boundaries of grapheme clusters that are tried. */
const MAX_TRIES = 16;

/**
 * The nearest boundary of a grapheme cluster from `limit` on, in one direction, that leaves a context that fits;
 * `limit` if there is none near.
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

/** Rising offsets where a text can be cut: between paragraphs, lines, sentences and words. */
type Boundaries = Readonly<Record<Level, number[]>>;

type Level = 'paragraph' | 'line' | 'sentence' | 'word';

/**
 * Where a head of the text of at most `limit` units may end: after a paragraph, line, sentence or word, and the white
 * space that follows it.
 */
function headEnds(text: string, limit: number): Boundaries {
  const found = noBoundaries();
  forEachGap(text, 0, limit, ({ level, start, lineStart }) => {
    if (start === 0) return;
    found[level].push(start);
    if (lineStart > start && lineStart <= limit) found[level].push(lineStart);
  });
  return found;
}

/**
 * Where a tail of the text that begins at `limit` or later may begin: before a paragraph, line, sentence or word,
 * after the white space before it. The indentation of a line belongs to the line.
 */
function tailStarts(text: string, limit: number): Boundaries {
  const found = noBoundaries();
  forEachGap(text, limit, text.length, ({ level, end, lineStart }) => {
    if (end < text.length) found[level].push(lineStart >= limit ? lineStart : end);
  });
  return found;
}

function noBoundaries(): Boundaries {
  return { paragraph: [], line: [], sentence: [], word: [] };
}

/** The gap between two words: white space, or nothing after an end of a sentence that needs none. */
interface Gap {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
  /** After the last line break if there is one, else the end. */
  readonly lineStart: number;
}

/** Visits, in order, the gaps that begin at `to` or before and end at `from` or after. */
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

/** Whether a line ends with the unit at `at`: LF, CRLF or CR. */
function breaksLine(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10);
}

/** Ends of sentences, if white space follows. */
const ENDS = unitsOf('.!?');

/** Ends of sentences that need no white space after them, in scripts without it. */
const ENDS_ALONE = new Set(SENTENCE_MARKS.map((mark) => mark.charCodeAt(0)));
const FIRST_ALONE = Math.min(...ENDS_ALONE);

function endsAlone(unit: number): boolean {
  return unit >= FIRST_ALONE && ENDS_ALONE.has(unit);
}

function unitsOf(marks: string): number[] {
  return [...marks].map((mark) => mark.charCodeAt(0));
}
