/** Words for comparing texts: letters and digits, compatible characters as one. An apostrophe within a word is no end of it. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .replace(/['\u2019\u02bc]/g, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that a text lacks, each as often as it lacks them. */
export function lackedWords(expected: readonly string[], found: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  return expected.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

const BITS = 30n;
const FULL = (1n << BITS) - 1n;

/** The length of the longest common subsequence of two lists, 30 words at a time. */
export function inOrder(one: readonly string[], other: readonly string[]): number {
  const blocks = Math.ceil(one.length / Number(BITS));
  const masks = new Map<string, bigint[]>();
  for (const [index, word] of one.entries()) {
    const mask = masks.get(word) ?? new Array<bigint>(blocks).fill(0n);
    masks.set(word, mask);
    const at = Math.floor(index / Number(BITS));
    mask[at] = (mask[at] ?? 0n) | (1n << (BigInt(index) % BITS));
  }
  const row = new Array<bigint>(blocks).fill(FULL);
  for (const word of other) {
    const mask = masks.get(word);
    if (mask === undefined) continue;
    let carry = 0n;
    for (let at = 0; at < blocks; at++) {
      const [value, matches] = [row[at] ?? 0n, mask[at] ?? 0n];
      const sum = value + (value & matches) + carry;
      carry = sum >> BITS;
      row[at] = (sum & FULL) | (value & ~matches & FULL);
    }
  }
  const left = row.reduce((sum, value) => sum + (value.toString(2).match(/1/g)?.length ?? 0), 0);
  return blocks * Number(BITS) - left;
}
