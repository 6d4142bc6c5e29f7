import type { PackLimits, Span, TokenizedText } from './contracts.ts';
import { keepOptimised } from './keep-optimised.ts';

/**
 * Packs the pieces between rising edges into chunks of at most `size` tokens, each as full as whole
 * pieces allow. A piece that alone is over the limit becomes a chunk of its own. Every `token_count` is
 * the count of the chunk's own text, however tokens fall at the edges.
 */
export function packPieces(edges: ArrayLike<number>, tokens: TokenizedText, limits: PackLimits): Span[] {
  const pieces = new Pieces(edges, tokens, limits.approximate ?? false);
  const { size, minPieces = 1 } = limits;
  const overlap = Math.min(limits.overlap ?? 0, size - 1);
  const runs: Run[] = [];
  let from = 0;
  let covered = 0;
  while (covered < pieces.length) {
    let run = fill(pieces, from, size);
    if (run.to <= covered) run = fill(pieces, covered, size);
    runs.push(run);
    covered = run.to;
    from = overlap > 0 ? overlapStart(pieces, run, overlap, size) : covered;
  }
  if (overlap === 0) fillTail(pieces, runs, minPieces, size);
  return runs.map((run) => pieces.span(run));
}

/** Pieces `[from, to)` and the exact count of their joined text. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const SAMPLE_UNITS = 4096;

/** Pieces with the running total of their own sizes, by which runs are proposed; counts decide. */
class Pieces {
  readonly length: number;
  readonly #edges: ArrayLike<number>;
  readonly #tokens: TokenizedText;
  /** Tokens of the pieces before each piece, each counted alone or estimated. */
  readonly #totals: Float64Array;

  constructor(edges: ArrayLike<number>, tokens: TokenizedText, approximate: boolean) {
    this.length = Math.max(edges.length - 1, 0);
    this.#edges = edges;
    this.#tokens = tokens;
    this.#totals = new Float64Array(this.length + 1);
    const ratio = approximate ? this.#sampleRatio() : undefined;
    for (let piece = 0; piece < this.length; piece++) {
      const units = this.#edge(piece + 1) - this.#edge(piece);
      const size = ratio === undefined ? this.count(piece, piece + 1) : Math.ceil(units * ratio);
      this.#totals[piece + 1] = this.#total(piece) + size;
    }
  }

  /** Tokens of pieces `[from, to)`, each counted alone. */
  sum(from: number, to: number): number {
    return this.#total(to) - this.#total(from);
  }

  /** Tokens of the joined text of pieces `[from, to)`, exactly. */
  count(from: number, to: number): number {
    return this.#tokens.count(this.#edge(from), this.#edge(to));
  }

  /** The last `to` with `sum(from, to) <= budget`. */
  reach(from: number, budget: number): number {
    const most = this.#total(from) + budget;
    let low = from;
    let step = 1;
    while (low + step <= this.length && this.#total(low + step) <= most) {
      low += step;
      step *= 2;
    }
    for (; step >= 1; step = Math.floor(step / 2)) {
      if (low + step <= this.length && this.#total(low + step) <= most) low += step;
    }
    return low;
  }

  /** The first `from` with `sum(from, to) <= budget`. */
  reachBack(to: number, budget: number): number {
    const least = this.#total(to) - budget;
    let low = to;
    let step = 1;
    while (low - step >= 0 && this.#total(low - step) >= least) {
      low -= step;
      step *= 2;
    }
    for (; step >= 1; step = Math.floor(step / 2)) {
      if (low - step >= 0 && this.#total(low - step) >= least) low -= step;
    }
    return low;
  }

  span({ from, to, count }: Run): Span {
    return { start: this.#edge(from), end: this.#edge(to), token_count: count };
  }

  #edge(piece: number): number {
    return this.#edges[piece] as number;
  }

  #total(piece: number): number {
    return this.#totals[piece] as number;
  }

  #sampleRatio(): number {
    const start = this.#edge(0);
    let to = Math.min(1, this.length);
    while (to < this.length && this.#edge(to) - start < SAMPLE_UNITS) to++;
    return this.length === 0 ? 1 : this.count(0, to) / Math.max(this.#edge(to) - start, 1);
  }
}

keepOptimised(new Pieces([], { count: () => 0, ends: () => new Uint32Array() }, false));

/** The fullest run that begins at `from`; at least one piece. */
function fill(pieces: Pieces, from: number, size: number): Run {
  let best: Run = { from, to: from + 1, count: pieces.count(from, from + 1) };
  while (best.count <= size && best.to < pieces.length) {
    const longer = extend(pieces, best, size);
    if (longer === undefined) break;
    best = longer;
  }
  return best;
}

/**
 * Adds the pieces that should fit, judged by their own sizes and by how much tokens joined so far; at
 * least one more that fits.
 */
function extend(pieces: Pieces, run: Run, size: number): Run | undefined {
  const ratio = run.count === 0 ? 1 : pieces.sum(run.from, run.to) / run.count;
  let to = pieces.reach(run.to, (size - run.count) * ratio);
  if (to === run.to) {
    if (pieces.sum(to, to + 1) > size) return undefined;
    to++;
  }
  while (to > run.to) {
    const count = pieces.count(run.from, to);
    if (count <= size) return { from: run.from, to, count };
    to = Math.min(to - 1, pieces.reach(run.to, pieces.sum(run.to, to) - (count - size) * ratio));
  }
  return undefined;
}

/** First piece of the run after `run`: the earliest that repeats no more than `overlap` tokens. */
function overlapStart(pieces: Pieces, run: Run, overlap: number, size: number): number {
  const next = run.to < pieces.length ? pieces.sum(run.to, run.to + 1) : 0;
  const budget = Math.max(Math.min(overlap, size - next), 0);
  let from = Math.max(pieces.reachBack(run.to, budget), run.from + 1);
  while (from < run.to && pieces.count(from, run.to) > overlap) from++;
  return from;
}

/** Moves pieces from the run before the last one, where that gives the last one `minimum` pieces. */
function fillTail(pieces: Pieces, runs: Run[], minimum: number, size: number): void {
  const last = runs.at(-1);
  const previous = runs.at(-2);
  if (last === undefined || previous === undefined || last.to - last.from >= minimum) return;
  const edge = last.to - minimum;
  if (edge - previous.from < minimum) return;
  const count = pieces.count(edge, last.to);
  if (count > size) return;
  const shorter = { from: previous.from, to: edge, count: pieces.count(previous.from, edge) };
  runs.splice(-2, 2, shorter, { from: edge, to: last.to, count });
}
