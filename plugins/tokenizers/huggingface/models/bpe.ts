import { alignBytes } from '../stages/alignment.ts';
import { type BpeConfig, unknownIdOf } from '../tokenizer-file.ts';
import { hasInnerMetaspace, WordBuilder, type WordModel } from './word.ts';

/** Byte pair encoding: merges the best pair until no pair is left, then looks up the remaining parts. */
export function createBpe(config: BpeConfig): WordModel {
  const { vocabulary, unknownToken, fusesUnknown } = config;
  const unknownId = unknownIdOf(config);
  const table = createMergeTable(config.merges);
  const byteIds = config.byteFallback ? byteTokenIds(vocabulary) : undefined;

  return {
    fusesUnknown,
    cutsAtMetaspace: canCutAtMetaspace(config),
    read(word) {
      const tokens = new WordBuilder(fusesUnknown);
      const wholeId = config.ignoresMerges ? vocabulary.get(word) : undefined;
      if (wholeId !== undefined) {
        tokens.add(word.length, wholeId, wholeId === unknownId);
        return tokens;
      }
      let start = 0;
      for (const end of merge(word, config.endOfWordSuffix, table)) {
        const suffix = end === word.length ? config.endOfWordSuffix : config.continuingSuffix;
        const part = word.slice(start, end);
        const id = vocabulary.get(part + suffix);
        if (id !== undefined) tokens.add(end, id, id === unknownId);
        else if (byteIds && isSpelledByBytes(part + suffix, byteIds))
          addBytes(tokens, start, part, suffix, byteIds);
        else if (unknownToken !== undefined) tokens.add(end, unknownId, true);
        start = end;
      }
      return tokens;
    },
  };
}

function canCutAtMetaspace({ endOfWordSuffix, continuingSuffix, ...config }: BpeConfig): boolean {
  return (
    endOfWordSuffix === '' &&
    continuingSuffix === '' &&
    !config.merges.some(([left, right]) => hasInnerMetaspace(left + right)) &&
    !(config.ignoresMerges && [...config.vocabulary.keys()].some(hasInnerMetaspace))
  );
}

function addBytes(
  tokens: WordBuilder,
  start: number,
  part: string,
  suffix: string,
  byteIds: readonly (number | undefined)[],
): void {
  const ends = alignBytes(part);
  Buffer.from(part + suffix).forEach((byte, index) => {
    tokens.add(start + (ends[index] ?? part.length), byteIds[byte], false);
  });
}

function byteTokenIds(vocabulary: ReadonlyMap<string, number>): (number | undefined)[] {
  return Array.from({ length: 256 }, (_, byte) =>
    vocabulary.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
}

const isSpelledByBytes = (part: string, ids: readonly (number | undefined)[]): boolean =>
  Buffer.from(part).every((byte) => ids[byte] !== undefined);

/** The upper bound of character indexes. It lets a rank and an index fit into one number. */
const MAX_INDEXES = 2 ** 28;

/** The upper bound of symbols. It lets a pair of symbols fit into one number. */
const MAX_SYMBOLS = 2 ** 24;

const NONE = -1;

/**
 * Merges the characters of a word by rank, leftmost first, and returns the ends of the remaining parts. A
 * heap of pairs takes O(n log n) time; its outdated entries are skipped.
 */
function merge(word: string, endOfWordSuffix: string, table: MergeTable): readonly number[] {
  const { ends, symbols } = readCharacters(word, endOfWordSuffix, table.symbols);
  const length = ends.length;
  const next = Int32Array.from(ends, (_, index) => (index + 1 < length ? index + 1 : NONE));
  const previous = Int32Array.from(ends, (_, index) => index - 1);
  // Each character initially adds at most one pair. A merge removes one pair and adds at most two.
  const heap = new Float64Array(2 * length);
  let size = 0;
  const offer = (index: number): void => {
    const following = next[index] as number;
    if (following === NONE) return;
    const rank = rankOf(table, symbols[index] as number, symbols[following] as number);
    if (rank !== NONE) push(heap, size++, rank * MAX_INDEXES + index);
  };

  for (let index = 0; index < length; index++) offer(index);
  while (size > 0) {
    const key = popLeast(heap, size--);
    const index = key % MAX_INDEXES;
    const rank = (key - index) / MAX_INDEXES;
    const following = next[index] as number;
    if (following === NONE) continue;
    if (rankOf(table, symbols[index] as number, symbols[following] as number) !== rank) continue;
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
  return endsLeft(ends, next);
}

function rankOf({ ranks }: MergeTable, left: number, right: number): number {
  return left === NONE || right === NONE ? NONE : (ranks.get(left * MAX_SYMBOLS + right) ?? NONE);
}

function endsLeft(ends: readonly number[], next: Int32Array): number[] {
  const left: number[] = [];
  for (let index = ends.length === 0 ? NONE : 0; index !== NONE; index = next[index] as number)
    left.push(ends[index] as number);
  return left;
}

interface MergeTable {
  readonly symbols: ReadonlyMap<string, number>;
  readonly ranks: ReadonlyMap<number, number>;
  readonly merged: Int32Array;
}

function createMergeTable(merges: readonly (readonly [string, string])[]): MergeTable {
  const symbols = new Map<string, number>();
  const ranks = new Map<number, number>();
  const merged = new Int32Array(merges.length);
  const symbolOf = (token: string): number => {
    const symbol = symbols.get(token);
    if (symbol !== undefined) return symbol;
    symbols.set(token, symbols.size);
    return symbols.size - 1;
  };
  merges.forEach(([left, right], rank) => {
    ranks.set(symbolOf(left) * MAX_SYMBOLS + symbolOf(right), rank);
    merged[rank] = symbolOf(left + right);
  });
  return { symbols, ranks, merged };
}

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

function push(heap: Float64Array, size: number, key: number): void {
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as number;
    if (above <= key) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = key;
}

/** Removes the least key from the non-empty heap in the first `size` elements. */
function popLeast(heap: Float64Array, size: number): number {
  const least = heap[0] as number;
  const end = size - 1;
  const last = heap[end] as number;
  let at = 0;
  for (let child = 1; child < end; child = 2 * at + 1) {
    if (child + 1 < end && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
    const below = heap[child] as number;
    if (below >= last) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return least;
}
