import type { CutFinder } from './contracts.ts';
import { countCodePoints, splitsCodePoint } from './text.ts';

/** Which side of a cut a delimiter goes to: the piece before it or the piece after it. */
export type DelimiterSide = 'prev' | 'next';

/**
 * Cuts at literal delimiters, never at patterns. Where several begin at one place the longest counts,
 * and the search goes on behind it. Costs time linear in the text for a given list.
 */
export function cutAtDelimiters(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  const trie = buildTrie(delimiters);
  return (text, start, end) => {
    const cuts: number[] = [];
    let at = start;
    while (at < end) {
      const matched = trie.first[text.charCodeAt(at)] === 1 ? matchEnd(trie, text, at, end) : -1;
      if (matched === -1) {
        at++;
        continue;
      }
      addCut(cuts, text, side === 'prev' ? matched : at, start, end);
      at = matched;
    }
    return cuts;
  };
}

/** Cuts before every line that begins with one of the given literal strings. */
export function cutAtLineStarts(starts: readonly string[]): CutFinder {
  const find = cutAtDelimiters(
    starts.map((start) => `\n${start}`),
    'next',
  );
  return (text, start, end) => find(text, start, end).map((cut) => cut + 1);
}

/** Cuts behind every run of white space. */
export const cutAtWhiteSpace: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  for (let at = start + 1; at < end; at++) {
    if (isWhiteSpace(text.charCodeAt(at - 1)) && !isWhiteSpace(text.charCodeAt(at))) cuts.push(at);
  }
  return cuts;
};

/** Cuts behind every code point. */
export const cutAtCodePoints: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  for (let at = start + 1; at < end; at++) if (!splitsCodePoint(text, at)) cuts.push(at);
  return cuts;
};

/** Cuts at the given offsets, which rise. */
export function cutAtOffsets(offsets: ArrayLike<number>): CutFinder {
  return (text, start, end) => {
    const cuts: number[] = [];
    for (let index = firstAbove(offsets, start); index < offsets.length; index++) {
      const offset = offsets[index] as number;
      if (offset >= end) break;
      if (offset !== cuts.at(-1)) addCut(cuts, text, offset, start, end);
    }
    return cuts;
  };
}

/**
 * Leaves out the cuts that would make a piece of fewer than `minimum` code points; the short piece goes
 * with the one behind it, at the end of the stretch with the one before it.
 */
export function withMinimumPiece(find: CutFinder, minimum: number): CutFinder {
  if (minimum <= 1) return find;
  return (text, start, end) => {
    const cuts: number[] = [];
    let last = start;
    for (const cut of find(text, start, end)) {
      if (!isShorter(text, last, cut, minimum)) {
        cuts.push(cut);
        last = cut;
      }
    }
    if (cuts.length > 0 && isShorter(text, last, end, minimum)) cuts.pop();
    return cuts;
  };
}

/** Whether `text.slice(start, end)` has fewer than `minimum` code points; looks at few units. */
export function isShorter(text: string, start: number, end: number, minimum: number): boolean {
  if (end - start < minimum) return true;
  return end - start < 2 * minimum && countCodePoints(text, start, end) < minimum;
}

/** Whether a unit is Unicode white space; all of it lies in the basic plane. */
export function isWhiteSpace(unit: number): boolean {
  if (unit < 0x85) return unit === 32 || (unit >= 9 && unit <= 13);
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  isEnd: boolean;
}

interface Trie {
  readonly root: TrieNode;
  /** 1 for every unit that begins a delimiter. */
  readonly first: Uint8Array;
}

function buildTrie(delimiters: readonly string[]): Trie {
  const root: TrieNode = { next: new Map(), isEnd: false };
  const first = new Uint8Array(0x10000);
  for (const delimiter of delimiters) {
    let node = root;
    for (let at = 0; at < delimiter.length; at++) {
      const unit = delimiter.charCodeAt(at);
      let child = node.next.get(unit);
      if (child === undefined) {
        child = { next: new Map(), isEnd: false };
        node.next.set(unit, child);
      }
      node = child;
    }
    if (delimiter.length > 0) {
      node.isEnd = true;
      first[delimiter.charCodeAt(0)] = 1;
    }
  }
  return { root, first };
}

/** End of the longest delimiter that begins at `at`, or -1. */
function matchEnd(trie: Trie, text: string, at: number, end: number): number {
  let node: TrieNode | undefined = trie.root;
  let matched = -1;
  for (let to = at; to < end; to++) {
    node = node.next.get(text.charCodeAt(to));
    if (node === undefined) break;
    if (node.isEnd) matched = to + 1;
  }
  return matched;
}

function addCut(cuts: number[], text: string, cut: number, start: number, end: number): void {
  if (cut > start && cut < end && !splitsCodePoint(text, cut)) cuts.push(cut);
}

function firstAbove(offsets: ArrayLike<number>, offset: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[middle] as number) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
