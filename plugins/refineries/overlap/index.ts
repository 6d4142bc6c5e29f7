import type { Refinery } from '../../../core/contracts/refinery.ts';
import type { TokenizedText } from '../../../core/contracts/tokenizer.ts';
import { type Boundaries, headEnds, tailStarts } from './boundaries.ts';
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

/** What a chunk carries already, and behind it what its neighbours give it; null if there is neither. */
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
      return text.slice(0, cut ?? limit);
    },

    tail(): string {
      if (size >= ends.length) return text;
      const limit = tailLimit(ends, size);
      if (mode === 'token') return text.slice(limit);
      const cut = coarsest(tailStarts(text, limit), (starts) =>
        starts.find((start) => fits(start, text.length)),
      );
      return text.slice(cut ?? limit);
    },
  };
}

/** End of the first `size` tokens; a first token without text of its own takes the next ones along. */
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

function coarsest(
  { paragraph, line, sentence, word }: Boundaries,
  longest: (cuts: readonly number[]) => number | undefined,
): number | undefined {
  return longest(paragraph) ?? longest(line) ?? longest(sentence) ?? longest(word);
}
