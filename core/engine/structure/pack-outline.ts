import type { Span } from '../../contracts/chunk.ts';
import type { Outline } from '../../contracts/chunker.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';
import { withFields } from '../packing/packing.ts';
import { countWhile } from '../search.ts';

export interface OutlineLimits {
  readonly size: number;
  /** Maximum tokens of a chunk that begins at an offset, never above `size`. Default: `size`. */
  readonly roomAt?: (start: number) => number;
  /** Minimum tokens of a chunk, at most half of `size`. A smaller chunk is joined to a neighbour if both fit. */
  readonly minimum: number;
  /** A chunk always begins at boundaries of this rank or lower. */
  readonly always: number;
}

type DivideStretch = (start: number, end: number) => readonly Span[];

/** A chunk: the pieces from boundary `from` to boundary `to`; if these are equal, a part of the piece at `from`. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly rank: number;
  /** While siblings are packed: the index of `to` in the list of sibling boundaries. */
  readonly sibling: number;
}

interface Packing {
  readonly outline: Outline;
  readonly tokens: TokenizedText;
  readonly limits: OutlineLimits;
  readonly divide: DivideStretch;
  /** A run with fewer tokens is short. */
  readonly minimum: number;
  /** For each boundary, the total tokens of the pieces before it: a first guess, checked by exact counts. */
  readonly totals: Int32Array;
  readonly runs: Run[];
}

/**
 * Packs the pieces of an outline into chunks with exact token counts. A stretch that is too large is cut into
 * siblings at its boundaries of the lowest rank. Neighbouring siblings are packed together. A sibling that is too
 * large is cut in the same way, at its boundaries of the next rank. So a chunk is a run of whole siblings or a part
 * of one sibling.
 */
export function packOutline(
  outline: Outline,
  tokens: TokenizedText,
  limits: OutlineLimits,
  divide: DivideStretch,
): Span[] {
  const { edges } = outline;
  const totals = new Int32Array(edges.length);
  for (let edge = 1; edge < edges.length; edge++) {
    const count = tokens.count(edges[edge - 1] as number, edges[edge] as number);
    totals[edge] = (totals[edge - 1] as number) + count;
  }
  // With a minimum near the limit, nearly every chunk would be short.
  const minimum = Math.min(limits.minimum, Math.floor(limits.size / 2));
  const packing: Packing = { outline, tokens, limits, divide, minimum, totals, runs: [] };
  const last = edges.length - 1;
  if (last > 0) place(packing, 0, last, Number.NEGATIVE_INFINITY);
  const spans: Span[] = [];
  for (const { start, end, count } of joinShort(packing))
    spans.push(withFields({ start, end, token_count: count }, undefined));
  return spans;
}

/**
 * Packs the pieces between the boundaries `from` and `to`. Cuts only at ranks above `rank`.
 *
 * @param known all pieces as one run, if the caller knows that they fit
 */
function place(packing: Packing, from: number, to: number, rank: number, known?: Run): void {
  const lowest = lowestRank(packing, from, to, rank);
  const run = lowest > packing.limits.always ? (known ?? runIfFits(packing, from, to)) : undefined;
  if (run !== undefined) packing.runs.push(run);
  else if (lowest === NO_RANK) divideStretch(packing, from, to);
  else placeSiblings(packing, siblingEdges(packing, from, to, lowest), lowest);
}

const NO_RANK = Number.POSITIVE_INFINITY;

function lowestRank(packing: Packing, from: number, to: number, above: number): number {
  let lowest = NO_RANK;
  for (let edge = from + 1; edge < to; edge++) {
    const rank = rankAt(packing, edge);
    if (rank > above && rank < lowest) lowest = rank;
  }
  return lowest;
}

function siblingEdges(packing: Packing, from: number, to: number, rank: number): number[] {
  const found = [from];
  for (let edge = from + 1; edge < to; edge++) if (rankAt(packing, edge) <= rank) found.push(edge);
  found.push(to);
  return found;
}

function placeSiblings(packing: Packing, siblings: readonly number[], rank: number): void {
  const areApart = rank <= packing.limits.always;
  let index = 0;
  while (index + 1 < siblings.length) {
    const from = siblings[index] as number;
    const run = fill(packing, siblings, index, areApart);
    const end = run?.sibling ?? index;
    if (run !== undefined && (areApart || !leadsInto(packing, run, siblings[end + 1]))) {
      place(packing, from, run.to, rank, run);
      index = end;
    } else {
      // The next sibling is too large. It is cut together with the short run before it, if there is one.
      index = end + 1;
      place(packing, from, siblings[index] as number, rank);
    }
  }
}

/** Whether a short run stays with the next, oversized sibling: the sibling's first piece fits after the run. */
function leadsInto(packing: Packing, run: Run, end: number | undefined): boolean {
  if (end === undefined || !isShort(packing, run) || runIfFits(packing, run.to, end) !== undefined)
    return false;
  return runIfFits(packing, run.from, run.to + 1) !== undefined;
}

/**
 * The longest run of siblings that begins with sibling `first` and fits; undefined if that sibling is too large.
 *
 * @param areApart whether every sibling begins its own chunk, even a short one
 */
function fill(
  packing: Packing,
  siblings: readonly number[],
  first: number,
  areApart: boolean,
): Run | undefined {
  let run = runIfFits(packing, siblings[first] as number, siblings[first + 1] as number, first + 1);
  while (!areApart && run !== undefined && run.sibling + 1 < siblings.length) {
    const longer = withMore(packing, siblings, run);
    if (longer === undefined) break;
    run = longer;
  }
  return run;
}

/** Extends a run by as many siblings as fit; undefined if not even one fits. Starts with an estimate. */
function withMore(packing: Packing, siblings: readonly number[], run: Run): Run | undefined {
  const { from, to: reached, start, count, sibling: end } = run;
  const room = roomAt(packing, start);
  const ratio = count === 0 ? 1 : sumOf(packing, from, reached) / count;
  let next = Math.max(reach(packing, siblings, end, (room - count) * ratio), end + 1);
  if (next === end + 1 && !isWorthCounting(packing, sumOf(packing, reached, siblings[next] as number)))
    return undefined;
  while (next > end) {
    const to = siblings[next] as number;
    const longer = countOf(packing, from, to);
    if (longer <= room) return runOf(packing, from, to, longer, next);
    const budget = sumOf(packing, reached, to) - (longer - room) * ratio;
    next = Math.min(next - 1, reach(packing, siblings, end, budget));
  }
  return undefined;
}

function reach({ totals }: Packing, siblings: readonly number[], from: number, budget: number): number {
  const most = (totals[siblings[from] as number] as number) + budget;
  return Math.max(countWhile(siblings, (edge) => (totals[edge] as number) <= most) - 1, from);
}

const WITHIN = 2 ** 30 - 1;

function divideStretch(packing: Packing, from: number, to: number): void {
  const { outline, tokens, divide, runs } = packing;
  let rank = rankAt(packing, from);
  for (const part of divide(outline.edges[from] as number, outline.edges[to] as number)) {
    const { start, end } = part;
    const count = part.token_count ?? tokens.count(start, end);
    runs.push({ from, to: from, start, end, count, rank, sibling: 0 });
    rank = WITHIN;
  }
}

/**
 * Joins each short run to a neighbour: across the weaker boundary if the two fit together, otherwise to the other
 * neighbour. A short run that fits with neither takes pieces from the previous run. Boundaries at which a chunk
 * always begins stay.
 */
function joinShort(packing: Packing): Run[] {
  const { runs } = packing;
  const done: Run[] = [];
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index] as Run;
    const last = done.at(-1);
    if (last !== undefined && (isShort(packing, last) || goesBack(packing, run, runs[index + 1])))
      done.splice(-1, 1, ...joined(packing, last, run));
    else done.push(run);
  }
  return done;
}

function goesBack(packing: Packing, run: Run, next: Run | undefined): boolean {
  if (!isShort(packing, run)) return false;
  return next === undefined || run.rank >= next.rank || together(packing, run, next) === undefined;
}

function joined(packing: Packing, first: Run, second: Run): Run[] {
  const both = together(packing, first, second);
  if (both !== undefined) return [both];
  const shared =
    isShort(packing, second) && second.rank > packing.limits.always
      ? withMovedEdge(packing, first, second)
      : undefined;
  return shared ?? [first, second];
}

function together(packing: Packing, first: Run, second: Run): Run | undefined {
  if (second.rank <= packing.limits.always) return undefined;
  if (!isWorthCounting(packing, first.count + second.count)) return undefined;
  const { from, start, rank } = first;
  const { end } = second;
  const to = isPart(first) || isPart(second) ? from : second.to;
  const count = packing.tokens.count(start, end);
  return count <= roomAt(packing, start) ? { from, to, start, end, count, rank, sibling: 0 } : undefined;
}

/** Moves pieces to the second run until it is no longer short, if that does not raise the rank of the boundary. */
function withMovedEdge(packing: Packing, first: Run, second: Run): Run[] | undefined {
  if (isPart(first) || isPart(second)) return undefined;
  for (let edge = first.to - 1; edge > first.from; edge--) {
    if (rankAt(packing, edge) > second.rank || sumOf(packing, edge, second.to) < packing.minimum) continue;
    const head = runIfFits(packing, first.from, edge);
    const tail = runIfFits(packing, edge, second.to);
    return head !== undefined && tail !== undefined && !isShort(packing, head) ? [head, tail] : undefined;
  }
  return undefined;
}

function isPart({ from, to }: Run): boolean {
  return from === to;
}

function rankAt({ outline }: Packing, edge: number): number {
  return outline.ranks[edge] as number;
}

function sumOf({ totals }: Packing, from: number, to: number): number {
  return (totals[to] as number) - (totals[from] as number);
}

function isShort({ minimum }: Packing, { count }: Run): boolean {
  return count < minimum;
}

function roomAt({ limits }: Packing, start: number): number {
  return limits.roomAt?.(start) ?? limits.size;
}

function countOf(packing: Packing, from: number, to: number): number {
  if (to === from + 1) return sumOf(packing, from, to);
  const { edges } = packing.outline;
  return packing.tokens.count(edges[from] as number, edges[to] as number);
}

function runOf(packing: Packing, from: number, to: number, count: number, sibling: number): Run {
  const { edges } = packing.outline;
  const start = edges[from] as number;
  return { from, to, start, end: edges[to] as number, count, rank: rankAt(packing, from), sibling };
}

function runIfFits(packing: Packing, from: number, to: number, sibling = 0): Run | undefined {
  if (!isWorthCounting(packing, sumOf(packing, from, to))) return undefined;
  const count = countOf(packing, from, to);
  const start = packing.outline.edges[from] as number;
  return count <= roomAt(packing, start) ? runOf(packing, from, to, count, sibling) : undefined;
}

/** Whether pieces may fit together. Joined text has slightly fewer tokens than the sum of its pieces. */
function isWorthCounting({ limits }: Packing, sum: number): boolean {
  return sum <= 1.25 * limits.size + 2;
}
