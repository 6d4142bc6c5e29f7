import type { Span } from '../../contracts/chunk.ts';
import type { PackLimits } from '../../contracts/chunker.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';

export type CountedSpan = Span & {
  readonly token_count: number;
};

/**
 * Packs pieces into chunks of at most `size` tokens; each chunk holds as many whole pieces as fit. A piece over the
 * limit becomes a chunk by itself. Every `token_count` is exact for the chunk's own text.
 */
export function packPieces(
  boundaries: ArrayLike<number>,
  tokens: TokenizedText,
  limits: PackLimits,
): CountedSpan[] {
  const pieces = measurePieces(boundaries, tokens, limits.approximate ?? false);
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
  if (overlap === 0 && minPieces > 1) fillTail(pieces, runs, minPieces, size);
  return runs.map(({ from, to, count }) => ({
    start: boundaries[from] as number,
    end: boundaries[to] as number,
    token_count: count,
  }));
}

/** Pieces and their sizes. The sum of sizes gives a first guess of how many pieces fit; exact counts decide. */
interface Pieces {
  readonly length: number;
  readonly boundaries: ArrayLike<number>;
  readonly tokens: TokenizedText;
  /** For each piece, the total of the sizes of all earlier pieces, in tokens. */
  readonly totals: Int32Array;
  readonly isEstimated: boolean;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

function measurePieces(boundaries: ArrayLike<number>, tokens: TokenizedText, approximate: boolean): Pieces {
  const length = Math.max(boundaries.length - 1, 0);
  const totals = new Int32Array(length + 1);
  const ratio = approximate ? sampleRatio(boundaries, tokens) : undefined;
  for (let piece = 0; piece < length; piece++) {
    const start = boundaries[piece] as number;
    const end = boundaries[piece + 1] as number;
    const size = ratio === undefined ? tokens.count(start, end) : Math.ceil((end - start) * ratio);
    totals[piece + 1] = (totals[piece] as number) + size;
  }
  return { length, boundaries, tokens, totals, isEstimated: approximate };
}

const SAMPLE_UNITS = 4096;

function sampleRatio(boundaries: ArrayLike<number>, tokens: TokenizedText): number {
  const last = boundaries.length - 1;
  if (last < 1) return 1;
  const start = boundaries[0] as number;
  let to = 1;
  while (to < last && (boundaries[to] as number) - start < SAMPLE_UNITS) to++;
  const end = boundaries[to] as number;
  return tokens.count(start, end) / Math.max(end - start, 1);
}

function sum({ totals }: Pieces, from: number, to: number): number {
  return (totals[to] as number) - (totals[from] as number);
}

function count(pieces: Pieces, from: number, to: number): number {
  const { boundaries, tokens, isEstimated } = pieces;
  if (to === from + 1 && !isEstimated) return sum(pieces, from, to);
  return tokens.count(boundaries[from] as number, boundaries[to] as number);
}

/** The longest run from piece `from` that fits. It has at least one piece, even if that is too large. */
function fill(pieces: Pieces, from: number, size: number): Run {
  let best: Run = { from, to: from + 1, count: count(pieces, from, from + 1) };
  while (best.count <= size && best.to < pieces.length) {
    const longer = extend(pieces, best, size);
    if (longer === undefined) break;
    best = longer;
  }
  return best;
}

/** Extends a run by as many pieces as are expected to fit, at least one; undefined if not even one more fits. */
function extend(pieces: Pieces, run: Run, size: number): Run | undefined {
  const ratio = run.count === 0 ? 1 : sum(pieces, run.from, run.to) / run.count;
  let to = reach(pieces, run.to, (size - run.count) * ratio);
  if (to === run.to) {
    if (sum(pieces, to, to + 1) > size) return undefined;
    to++;
  }
  while (to > run.to) {
    const joined = count(pieces, run.from, to);
    if (joined <= size) return { from: run.from, to, count: joined };
    const guess = reach(pieces, run.to, sum(pieces, run.to, to) - (joined - size) * ratio);
    to = to === run.to + 1 ? run.to : Math.max(Math.min(to - 1, guess), run.to + 1);
  }
  return undefined;
}

/** The largest `to` with `sum(from, to) <= budget`. The search starts with small steps, because chunks are short. */
function reach({ length, totals }: Pieces, from: number, budget: number): number {
  const most = (totals[from] as number) + budget;
  let to = from;
  let step = 1;
  while (to + step <= length && (totals[to + step] as number) <= most) {
    to += step;
    step *= 2;
  }
  for (; step >= 1; step >>= 1) if (to + step <= length && (totals[to + step] as number) <= most) to += step;
  return to;
}

function reachBack({ totals }: Pieces, to: number, budget: number): number {
  const least = (totals[to] as number) - budget;
  let from = to;
  let step = 1;
  while (step <= from && (totals[from - step] as number) >= least) {
    from -= step;
    step *= 2;
  }
  for (; step >= 1; step >>= 1) if (step <= from && (totals[from - step] as number) >= least) from -= step;
  return from;
}

/** The first piece of the next run, which repeats as many pieces as fit into `overlap` tokens. */
function overlapStart(pieces: Pieces, run: Run, overlap: number, size: number): number {
  const next = run.to < pieces.length ? sum(pieces, run.to, run.to + 1) : 0;
  const budget = Math.max(Math.min(overlap, size - next), 0);
  let from = Math.max(reachBack(pieces, run.to, budget), run.from + 1);
  while (from < run.to && count(pieces, from, run.to) > overlap) from++;
  return from;
}

/** Moves pieces from the previous run to the last run, if both then have `minimum` pieces and fit. */
function fillTail(pieces: Pieces, runs: Run[], minimum: number, size: number): void {
  const last = runs.at(-1);
  const previous = runs.at(-2);
  if (last === undefined || previous === undefined || last.to - last.from >= minimum) return;
  const from = last.to - minimum;
  if (from - previous.from < minimum) return;
  const joined = count(pieces, from, last.to);
  if (joined > size) return;
  const shorter = { from: previous.from, to: from, count: count(pieces, previous.from, from) };
  runs.splice(-2, 2, shorter, { from, to: last.to, count: joined });
}

/**
 * Windows of `size` tokens over `ends` (see `TokenizedText.ends`). Each window begins `overlap` tokens before the end
 * of the previous one. A boundary inside a code point moves back to the start of the code point. Tokens without text
 * at the start of the text belong to the first token with text. A code point with more tokens than `size` stays whole
 * and counts as a full window.
 */
export function tokenWindows(ends: Uint32Array, size: number, overlap = 0): Span[] {
  const spans: Span[] = [];
  const startOf = (token: number) => (token === 0 ? 0 : (ends[token - 1] as number));
  let from = 0;
  let covered = 0;
  while (covered < ends.length) {
    const to = windowEnd(ends, from, size);
    if (to > covered) {
      const token_count = Math.min(to - from, size);
      spans.push({ start: startOf(from), end: startOf(to), token_count });
      covered = to;
    }
    from = Math.max(boundaryAtOrBefore(ends, to - overlap), boundaryAfter(ends, from));
  }
  return spans;
}

function windowEnd(ends: Uint32Array, from: number, size: number): number {
  const to = boundaryAtOrBefore(ends, Math.min(from + size, ends.length));
  return to > from ? to : boundaryAfter(ends, from);
}

function boundaryAtOrBefore(ends: Uint32Array, token: number): number {
  let at = token;
  while (at > 0 && at < ends.length && ends[at - 1] === ends[at]) at--;
  return at > 0 && ends[at - 1] === 0 ? 0 : at;
}

function boundaryAfter(ends: Uint32Array, token: number): number {
  let at = token + 1;
  while (at < ends.length && (ends[at - 1] === ends[at] || ends[at - 1] === 0)) at++;
  return at;
}

export function withFields(
  { start, end, token_count, context, located }: Span,
  extra: Span['extra'],
  lists: Span['located'] = located,
): Span {
  return { start, end, token_count, context, extra, located: lists };
}
