/** A stretch of the text, `[start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** How well the results answer a question, by characters. */
export interface Retrieval {
  /** Share of the answer that was found. */
  readonly recall: number;
  /** Share of the found text that belongs to the answer. */
  readonly precision: number;
  /** Intersection divided by union. */
  readonly iou: number;
}

/** The ranges in order, without overlaps. */
function merged(ranges: readonly Range[]): Range[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

const lengthOf = (ranges: readonly Range[]) => ranges.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * Compares the results with the answer, like the evaluation of the service: the answer's characters count once, other
 * found characters as often as they were found.
 */
export function retrievalOf(found: readonly Range[], answer: readonly Range[]): Retrieval {
  const wanted = merged(answer);
  let both = 0;
  for (const { start, end } of wanted) {
    for (const one of merged(found)) both += Math.max(0, Math.min(end, one.end) - Math.max(start, one.start));
  }
  const [size, target] = [lengthOf(found), lengthOf(wanted)];
  return {
    recall: share(both, target),
    precision: share(both, size),
    iou: share(both, size + target - both),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
