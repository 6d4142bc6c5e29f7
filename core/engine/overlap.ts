import type { Span } from '../contracts/chunk.ts';
import type { CutFinder } from '../contracts/chunker.ts';
import type { TokenizedText } from '../contracts/tokenizer.ts';

interface OverlapLimits {
  /** Most tokens of a chunk, what it repeats included. */
  readonly size: number;
  /** Most tokens that it repeats. */
  readonly overlap: number;
}

/**
 * Lets each chunk but the first begin before the end of the one before it: at the first cut of the coarsest level
 * that has one so near. Starts keep rising, and counts are those of the chunks' own texts.
 */
export function repeatEnds(
  text: string,
  tokens: TokenizedText,
  spans: readonly Span[],
  levels: readonly CutFinder[],
  limits: OverlapLimits,
): Span[] {
  const ends = tokens.ends();
  const found: Span[] = [];
  let token = 0;
  for (const span of spans) {
    while (token < ends.length && (ends[token] as number) <= span.start) token++;
    const before = found.at(-1);
    const from = token > limits.overlap ? (ends[token - limits.overlap - 1] as number) : 0;
    const least = before === undefined ? span.start : Math.max(from - 1, before.start);
    const start = firstFitting(text, tokens, levels, { ...span, least }, limits);
    found.push(start === span.start ? span : withStart(span, start, tokens));
  }
  return found;
}

/** A chunk, and the offset behind which it may begin. */
interface Candidate extends Span {
  readonly least: number;
}

/** How many cuts of a level are tried; where tokens join at a cut, the first may be one token too many. */
const MOST_TRIES = 16;

function firstFitting(
  text: string,
  tokens: TokenizedText,
  levels: readonly CutFinder[],
  { start, end, least }: Candidate,
  { size, overlap }: OverlapLimits,
): number {
  const fits = (cut: number) => tokens.count(cut, start) <= overlap && tokens.count(cut, end) <= size;
  if (least >= start) return start;
  for (const find of levels) {
    const cut = find(text, least, start).slice(0, MOST_TRIES).find(fits);
    if (cut !== undefined) return cut;
  }
  return start;
}

function withStart({ end }: Span, start: number, tokens: TokenizedText): Span {
  return { start, end, token_count: tokens.count(start, end) };
}
