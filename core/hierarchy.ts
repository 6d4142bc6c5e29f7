import type { CutFinder, DivideLimits, Span, TokenizedText } from './contracts.ts';
import { cutAtCodePoints, cutAtOffsets, isShorter } from './cuts.ts';
import { packPieces } from './packing.ts';

/**
 * Divides a stretch of a text into chunks of at most `size` tokens along a hierarchy: it is cut by the
 * first finder and packed; what is still too large is cut by the next one, at last between tokens and
 * between code points. Only a single code point can stay over the limit.
 */
export function divide(
  text: string,
  tokens: TokenizedText,
  range: Span,
  finders: readonly CutFinder[],
  { size, minCharacters = 1 }: DivideLimits,
): Span[] {
  const levels = [...finders, cutAtTokens(tokens), cutAtCodePoints];
  // Where the minimum is near the limit every chunk is short, and none may cost its neighbour a good cut.
  const minToStand = Math.min(minCharacters, Math.floor(size / 2));
  const spans: Span[] = [];
  const count = tokens.count(range.start, range.end);
  if (count <= size) return [{ start: range.start, end: range.end, token_count: count }];
  divideAt(0, range.start, range.end);
  return minCharacters > 1 ? joinShort(spans) : spans;

  function divideAt(level: number, start: number, end: number): void {
    const find = levels[level];
    if (find === undefined) {
      spans.push({ start, end, token_count: tokens.count(start, end) });
      return;
    }
    const edges = find(text, start, end);
    if (edges.length === 0) {
      divideAt(level + 1, start, end);
      return;
    }
    edges.unshift(start);
    edges.push(end);
    placeAll(level, start, packPieces(edges, tokens, { size }));
  }

  /** Keeps what fits and divides the rest; a short chunk before one that can be divided goes with it. */
  function placeAll(level: number, start: number, packed: readonly Span[]): void {
    const canDivide = level + 1 < levels.length;
    let from = start;
    packed.forEach((span, index) => {
      const next = packed[index + 1];
      if (isOver(span)) divideAt(level + 1, from, span.end);
      else if (canDivide && next !== undefined && isOver(next) && isShort(span, minToStand)) return;
      else spans.push(span);
      from = span.end;
    });
  }

  function isOver(span: Span): boolean {
    return (span.token_count as number) > size;
  }

  function isShort({ start, end }: Span, minimum: number): boolean {
    return isShorter(text, start, end, minimum);
  }

  function joinShort(spans: readonly Span[]): Span[] {
    const joined: Span[] = [];
    for (const span of spans) {
      const last = joined.at(-1);
      const hasShort = last !== undefined && [last, span].some((one) => isShort(one, minCharacters));
      const both = hasShort ? join(last, span) : undefined;
      if (both === undefined) joined.push(span);
      else joined[joined.length - 1] = both;
    }
    return joined;
  }

  function join({ start }: Span, { end }: Span): Span | undefined {
    const token_count = tokens.count(start, end);
    return token_count <= size ? { start, end, token_count } : undefined;
  }
}

function cutAtTokens(tokens: TokenizedText): CutFinder {
  let find: CutFinder | undefined;
  return (text, start, end) => {
    find ??= cutAtOffsets(tokens.ends());
    return find(text, start, end);
  };
}
