import { fits, isShort, isWorthCounting, type Packing, type Run, rankAt, runIfFits, sumOf } from './runs.ts';

/**
 * The runs, of which those that are short are joined with the neighbour behind the weaker edge, if both fit together,
 * else with the other one; if neither fits, they take whole pieces from the one before them.
 */
export function joinShort(packing: Packing): Run[] {
  const { runs } = packing;
  const done: Run[] = [];
  runs.forEach((run, index) => {
    const last = done.at(-1);
    if (last !== undefined && (isShort(packing, last) || goesBack(packing, run, runs[index + 1])))
      done.splice(-1, 1, ...joined(packing, last, run));
    else done.push(run);
  });
  return done;
}

/** Whether a run is short and rather goes with the one before it than with the one behind it. */
function goesBack(packing: Packing, run: Run, next: Run | undefined): boolean {
  if (!isShort(packing, run)) return false;
  return next === undefined || run.rank >= next.rank || together(packing, run, next) === undefined;
}

/** Both as one run; or as two with another edge between them; or as they are. */
function joined(packing: Packing, first: Run, second: Run): Run[] {
  const both = together(packing, first, second);
  if (both !== undefined) return [both];
  const shared = isShort(packing, second) ? withMovedEdge(packing, first, second) : undefined;
  return shared ?? [first, second];
}

function together(packing: Packing, first: Run, second: Run): Run | undefined {
  if (!isWorthCounting(packing, first.count + second.count)) return undefined;
  const { from, start, rank } = first;
  const { end } = second;
  const to = isPart(first) || isPart(second) ? from : second.to;
  const both = { from, to, start, end, count: packing.tokens.count(start, end), rank };
  return fits(packing, both) ? both : undefined;
}

/** Gives pieces of the first run to the second until that is not short any more, at an edge that is no worse. */
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

/** Whether a run is not of whole pieces. */
function isPart({ from, to }: Run): boolean {
  return from === to;
}
