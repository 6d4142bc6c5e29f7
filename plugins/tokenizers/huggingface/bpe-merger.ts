/** Positions of a word stay under this, so that a rank and a position fit into one number. */
const MAX_POSITIONS = 2 ** 28;

/** Symbols stay under this, so that a pair of them fits into one number. */
const MAX_SYMBOLS = 2 ** 24;

const NONE = -1;

/**
 * Merges the characters of a word by rank, leftmost first, and gives the ends of what is left. Takes
 * O(n log n) time on any word: a heap of pairs, where an entry that is out of date is skipped.
 */
export function createMerger(
  merges: readonly (readonly [string, string])[],
  endOfWordSuffix: string,
): (word: string) => readonly number[] {
  const table = createMergeTable(merges);
  const rankOf = (left: number, right: number): number =>
    left === NONE || right === NONE ? NONE : (table.ranks.get(left * MAX_SYMBOLS + right) ?? NONE);

  return (word) => {
    const { ends, symbols } = readCharacters(word, endOfWordSuffix, table.symbols);
    const length = ends.length;
    const next = Int32Array.from(ends, (_, index) => (index + 1 < length ? index + 1 : NONE));
    const previous = Int32Array.from(ends, (_, index) => index - 1);
    const heap = createHeap(3 * length);
    const offer = (index: number): void => {
      const following = next[index] as number;
      if (following === NONE) return;
      const rank = rankOf(symbols[index] as number, symbols[following] as number);
      if (rank !== NONE) heap.push(rank * MAX_POSITIONS + index);
    };

    for (let index = 0; index < length; index++) offer(index);
    for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
      const index = top % MAX_POSITIONS;
      const rank = (top - index) / MAX_POSITIONS;
      const following = next[index] as number;
      if (following === NONE) continue;
      if (rankOf(symbols[index] as number, symbols[following] as number) !== rank) continue;
      symbols[index] = table.merged[rank] as number;
      symbols[following] = NONE;
      ends[index] = ends[following] as number;
      const after = next[following] as number;
      next[index] = after;
      next[following] = NONE;
      if (after !== NONE) previous[after] = index;
      const before = previous[index] as number;
      if (before !== NONE) offer(before);
      offer(index);
    }

    const left: number[] = [];
    for (let index = length === 0 ? NONE : 0; index !== NONE; index = next[index] as number) {
      left.push(ends[index] as number);
    }
    return left;
  };
}

interface MergeTable {
  /** Number of each string that takes part in a merge. */
  readonly symbols: ReadonlyMap<string, number>;
  /** Rank of a pair of symbols. */
  readonly ranks: ReadonlyMap<number, number>;
  /** The symbol that the merge of a rank makes. */
  readonly merged: Int32Array;
}

function createMergeTable(merges: readonly (readonly [string, string])[]): MergeTable {
  const symbols = new Map<string, number>();
  const ranks = new Map<number, number>();
  const merged = new Int32Array(merges.length);
  const symbolOf = (token: string): number => {
    const known = symbols.get(token);
    if (known !== undefined) return known;
    symbols.set(token, symbols.size);
    return symbols.size - 1;
  };
  merges.forEach(([left, right], rank) => {
    ranks.set(symbolOf(left) * MAX_SYMBOLS + symbolOf(right), rank);
    merged[rank] = symbolOf(left + right);
  });
  return { symbols, ranks, merged };
}

/** The code points of a word: where each ends, and its symbol. */
function readCharacters(word: string, suffix: string, table: ReadonlyMap<string, number>) {
  const ends: number[] = [];
  const symbols: number[] = [];
  let end = 0;
  for (const point of word) {
    end += point.length;
    ends.push(end);
    symbols.push(table.get(end === word.length ? point + suffix : point) ?? NONE);
  }
  return { ends, symbols };
}

/** A binary heap of numbers, the smallest on top. */
function createHeap(capacity: number) {
  const items = new Float64Array(capacity);
  let size = 0;
  return {
    push(item: number): void {
      let index = size++;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        const above = items[parent] as number;
        if (above <= item) break;
        items[index] = above;
        index = parent;
      }
      items[index] = item;
    },
    pop(): number | undefined {
      if (size === 0) return undefined;
      const top = items[0];
      const item = items[--size] as number;
      let index = 0;
      for (let child = 1; child < size; child = 2 * index + 1) {
        if (child + 1 < size && (items[child + 1] as number) < (items[child] as number)) child++;
        const below = items[child] as number;
        if (below >= item) break;
        items[index] = below;
        index = child;
      }
      items[index] = item;
      return top;
    },
  };
}
