/** The words of a text, in lower case; an apostrophe within a word is not a sign between two. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/['\u2019\u02bc]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/**
 * How many words two texts have in common, in the same order: the length of their longest common subsequence, by the
 * greedy algorithm of Myers, in time that grows with the differences.
 */
export function inOrder(one: readonly string[], other: readonly string[]): number {
  const most = one.length + other.length;
  const furthest = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits++)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal;
      const [above, left] = [furthest[at + 1] as number, furthest[at - 1] as number];
      let x = diagonal === -edits || (diagonal !== edits && left < above) ? above : left + 1;
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= one.length && x - diagonal >= other.length) return (most - edits) / 2;
    }
  return 0;
}
