import type { Span } from '../../../core/contracts/chunk.ts';
import type { Outline } from '../../../core/contracts/structure.ts';

/** The parts of an outline between stretches that are left out, which lie between edges of it, in the order of the text. */
export function partsBetween({ edges, ranks }: Outline, left: readonly Span[]): Outline[] {
  const parts: Outline[] = [];
  let from = 0;
  for (const { start, end } of [...left, NOTHING]) {
    let to = from;
    while (to < edges.length - 1 && (edges[to] ?? 0) < start) to++;
    if (to > from) parts.push(partOf({ edges, ranks }, from, to));
    from = to;
    while (from < edges.length - 1 && (edges[from] ?? 0) < end) from++;
  }
  return parts;
}

const NOTHING: Span = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };

function partOf({ edges, ranks }: Outline, from: number, to: number): Outline {
  const slice = (all: ArrayLike<number>) =>
    Array.from({ length: to - from + 1 }, (_, index) => all[from + index] ?? 0);
  return { edges: slice(edges), ranks: slice(ranks) };
}

/** An outline without the edges within rising stretches. */
export function withoutEdgesIn({ edges, ranks }: Outline, stretches: readonly Span[]): Outline {
  const kept: { edges: number[]; ranks: number[] } = { edges: [], ranks: [] };
  let next = 0;
  for (let edge = 0; edge < edges.length; edge++) {
    const offset = edges[edge] ?? 0;
    while ((stretches[next]?.end ?? Number.POSITIVE_INFINITY) <= offset) next++;
    if ((stretches[next]?.start ?? Number.POSITIVE_INFINITY) < offset) continue;
    kept.edges.push(offset);
    kept.ranks.push(ranks[edge] ?? 0);
  }
  return kept;
}
