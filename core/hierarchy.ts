import type { CutFinder, DivideLimits, Span, TokenizedText } from './contracts.ts';
import { cutAtCodePoints, cutAtOffsets, isShorter } from './cuts.ts';
import { keepOptimised } from './keep-optimised.ts';
import { packPieces } from './packing.ts';

/**
 * Divides a stretch of a text into chunks of at most `size` tokens along a hierarchy: it is cut by the
 * first finder and packed; what is still too large is cut by the next one, at last between tokens and
 * between code points. Only a single code point can stay over the limit.
 */
export function divide(
  text: string,
  tokens: TokenizedText,
  { start, end }: Span,
  finders: readonly CutFinder[],
  { size, minCharacters = 1 }: DivideLimits,
): Span[] {
  const token_count = tokens.count(start, end);
  if (token_count <= size) return [{ start, end, token_count }];
  const levels = [...finders, cutAtTokens(tokens), cutAtCodePoints];
  return new Division(text, tokens, levels, size, minCharacters).spans(start, end);
}

class Division {
  readonly #text: string;
  readonly #tokens: TokenizedText;
  readonly #levels: readonly CutFinder[];
  readonly #size: number;
  readonly #minCharacters: number;
  readonly #spans: Span[] = [];

  constructor(
    text: string,
    tokens: TokenizedText,
    levels: readonly CutFinder[],
    size: number,
    minCharacters: number,
  ) {
    this.#text = text;
    this.#tokens = tokens;
    this.#levels = levels;
    this.#size = size;
    this.#minCharacters = minCharacters;
  }

  spans(start: number, end: number): Span[] {
    this.#divideAt(0, start, end);
    return this.#minCharacters > 1 ? this.#joinShort() : this.#spans;
  }

  #divideAt(level: number, start: number, end: number): void {
    const find = this.#levels[level];
    if (find === undefined) {
      this.#spans.push({ start, end, token_count: this.#tokens.count(start, end) });
      return;
    }
    const edges = find(this.#text, start, end);
    if (edges.length === 0) {
      this.#divideAt(level + 1, start, end);
      return;
    }
    edges.unshift(start);
    edges.push(end);
    this.#placeAll(level, start, packPieces(edges, this.#tokens, { size: this.#size }));
  }

  /** Keeps what fits and divides the rest; a short chunk before one that can be divided goes with it. */
  #placeAll(level: number, start: number, packed: readonly Span[]): void {
    const canDivide = level + 1 < this.#levels.length;
    // Where the minimum is near the limit every chunk is short, and none may cost its neighbour a good cut.
    const minToStand = Math.min(this.#minCharacters, Math.floor(this.#size / 2));
    let from = start;
    for (let index = 0; index < packed.length; index++) {
      const span = packed[index] as Span;
      const next = packed[index + 1];
      if (this.#isOver(span)) this.#divideAt(level + 1, from, span.end);
      else if (canDivide && next !== undefined && this.#isOver(next) && this.#isShort(span, minToStand))
        continue;
      else this.#spans.push(span);
      from = span.end;
    }
  }

  #joinShort(): Span[] {
    const joined: Span[] = [];
    for (const span of this.#spans) {
      const last = joined.at(-1);
      const both = last === undefined ? undefined : this.#joinIfShort(last, span);
      if (both === undefined) joined.push(span);
      else joined[joined.length - 1] = both;
    }
    return joined;
  }

  /** Both spans as one, where one of them is short and they fit together. */
  #joinIfShort(first: Span, second: Span): Span | undefined {
    if (!this.#isShort(first, this.#minCharacters) && !this.#isShort(second, this.#minCharacters))
      return undefined;
    const token_count = this.#tokens.count(first.start, second.end);
    return token_count <= this.#size ? { start: first.start, end: second.end, token_count } : undefined;
  }

  #isShort({ start, end }: Span, minimum: number): boolean {
    return isShorter(this.#text, start, end, minimum);
  }

  #isOver({ token_count }: Span): boolean {
    return (token_count as number) > this.#size;
  }
}

keepOptimised(new Division('', { count: () => 0, ends: () => new Uint32Array() }, [], 1, 1));

function cutAtTokens(tokens: TokenizedText): CutFinder {
  let find: CutFinder | undefined;
  return (text, start, end) => {
    find ??= cutAtOffsets(tokens.ends());
    return find(text, start, end);
  };
}
