/** A stretch of the text, `[start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** How well stretches that were found answer a question, by characters. */
export interface Retrieval {
  /** Share of the answer that was found. */
  readonly recall: number;
  /** Share of what was found that is the answer. */
  readonly precision: number;
  /** What both have, of what either has. */
  readonly iou: number;
}

/** The ranges in order, without what they repeat of each other. */
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
 * Compares what was found with the answer, as the evaluation of the service does: the answer's characters count once, and
 * what was found as often as it was found.
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
