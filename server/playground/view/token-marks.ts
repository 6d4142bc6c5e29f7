/** The name of the highlight in the style sheet. */
const NAME = 'token';

/**
 * Marks every second token of the text that is in the page, so that each begins where the marking changes.
 *
 * @param spans those with the text, which say where it begins as `data-start`
 * @param starts where tokens begin; they do not fall
 */
export function markTokens(spans: Iterable<HTMLElement>, starts: readonly number[]): void {
  const ranges: Range[] = [];
  for (const span of spans) {
    const node = span.firstChild;
    const from = Number(span.dataset.start);
    if (node === null || starts.length === 0) continue;
    const to = from + (node.nodeValue as string).length;
    for (
      let index = lastUpTo(starts, from);
      index < starts.length && (starts[index] as number) < to;
      index++
    ) {
      const end = Math.min(to, starts[index + 1] ?? to);
      const start = Math.max(from, starts[index] as number);
      if (index % 2 === 0 || start >= end) continue;
      const range = document.createRange();
      range.setStart(node, start - from);
      range.setEnd(node, end - from);
      ranges.push(range);
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** The last that is not above an offset; 0 if all are. */
function lastUpTo(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
