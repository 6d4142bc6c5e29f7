import type { PackLimits, Span, TokenizedText } from './contracts.ts';

/**
 * Packs the pieces between rising edges into chunks of at most `size` tokens, each as full as whole
 * pieces allow. A piece that alone is over the limit becomes a chunk of its own. Every `token_count` is
 * the count of the chunk's own text, however tokens fall at the edges.
 */
export function packPieces(edges: ArrayLike<number>, tokens: TokenizedText, limits: PackLimits): Span[] {
  const pieces = new Pieces(edges, tokens, limits.approximate ?? false);
  const overlap = Math.min(limits.overlap ?? 0, limits.size - 1);
  const runs: Run[] = [];
  let from = 0;
  let covered = 0;
  while (covered < pieces.length) {
    let run = fill(pieces, from, limits.size);
    if (run.to <= covered) run = fill(pieces, covered, limits.size);
    runs.push(run);
    covered = run.to;
    from = overlap > 0 ? overlapStart(pieces, run, overlap, limits.size) : covered;
  }
  if (overlap === 0) fillTail(pieces, runs, limits.minPieces ?? 1, limits.size);
  return runs.map((run) => pieces.span(run));
}

/** Pieces `[from, to)` and the exact count of their joined text. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const SAMPLE_UNITS = 4096;

class Pieces {
  readonly length: number;
  readonly #edges: ArrayLike<number>;
  readonly #tokens: TokenizedText;
  readonly #sizes: Int32Array;
  readonly #tokensPerUnit: number | undefined;

  constructor(edges: ArrayLike<number>, tokens: TokenizedText, approximate: boolean) {
    this.length = Math.max(edges.length - 1, 0);
    this.#edges = edges;
    this.#tokens = tokens;
    this.#sizes = new Int32Array(this.length).fill(-1);
    this.#tokensPerUnit = approximate ? this.#sampleRatio() : undefined;
  }

  /** Tokens of one piece alone, estimated where that was asked for. */
  size(piece: number): number {
    const known = this.#sizes[piece] as number;
    if (known >= 0) return known;
    const size =
      this.#tokensPerUnit === undefined
        ? this.count(piece, piece + 1)
        : Math.ceil((this.#edge(piece + 1) - this.#edge(piece)) * this.#tokensPerUnit);
    this.#sizes[piece] = size;
    return size;
  }

  /** Tokens of the joined text of pieces `[from, to)`, exactly. */
  count(from: number, to: number): number {
    return this.#tokens.count(this.#edge(from), this.#edge(to));
  }

  span({ from, to, count }: Run): Span {
    return { start: this.#edge(from), end: this.#edge(to), token_count: count };
  }

  #edge(piece: number): number {
    return this.#edges[piece] as number;
  }

  #sampleRatio(): number {
    if (this.length === 0) return 1;
    const start = this.#edge(0);
    let to = 1;
    while (to < this.length && this.#edge(to) - start < SAMPLE_UNITS) to++;
    return this.count(0, to) / Math.max(this.#edge(to) - start, 1);
  }
}

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

/** Adds the pieces that should fit by their own sizes, or one more that fits because tokens join. */
function extend(pieces: Pieces, run: Run, size: number): Run | undefined {
  let to = run.to;
  let sum = run.count;
  while (to < pieces.length && sum + pieces.size(to) <= size) sum += pieces.size(to++);
  if (to === run.to) {
    if (pieces.size(to) > size) return undefined;
    to++;
  }
  for (let count = pieces.count(run.from, to); to > run.to; count = pieces.count(run.from, to)) {
    if (count <= size) return { from: run.from, to, count };
    for (let excess = count - size; excess > 0 && to > run.to; ) excess -= Math.max(pieces.size(--to), 1);
  }
  return undefined;
}

/** First piece of the run after `run`: the earliest that repeats no more than `overlap` tokens. */
function overlapStart(pieces: Pieces, run: Run, overlap: number, size: number): number {
  let from = run.to;
  let sum = 0;
  while (from - 1 > run.from && sum + pieces.size(from - 1) <= overlap) sum += pieces.size(--from);
  const next = run.to < pieces.length ? pieces.size(run.to) : 0;
  while (from < run.to && sum + next > size) sum -= pieces.size(from++);
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
  runs.splice(
    -2,
    2,
    { from: previous.from, to: edge, count: pieces.count(previous.from, edge) },
    { ...last, from: edge, count },
  );
}
