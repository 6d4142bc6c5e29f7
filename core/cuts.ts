import type { CutFinder } from './contracts.ts';
import { countCodePoints, splitsCodePoint } from './text.ts';

/** Which side of a cut a delimiter goes to: the piece before it or the piece after it. */
export type DelimiterSide = 'prev' | 'next';

/**
 * Cuts at literal delimiters, never at patterns. Where several begin at one place the longest counts,
 * and the search goes on behind it. Costs time linear in the text for a given list.
 */
export function cutAtDelimiters(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  const tries = [...buildTries(delimiters)];
  return (text, start, end) => findDelimiters(tries, side, text, start, end);
}

// The loops stand outside the finders: a finder lives for one request, and optimised code dies with the
// closure that it was made for.
function findDelimiters(
  tries: readonly (readonly [unit: string, trie: Trie])[],
  side: DelimiterSide,
  text: string,
  start: number,
  end: number,
): number[] {
  const part = text.slice(start, end);
  const cuts: number[] = [];
  const searches = tries.map(([unit, trie]): Search => ({ unit, trie, at: indexFrom(part, unit, 0) }));
  let next = earliest(searches);
  while (next.at < part.length) {
    const matched = matchEnd(next.trie, part, next.at);
    if (matched !== -1) addCut(cuts, text, start + (side === 'prev' ? matched : next.at), start, end);
    next.at = indexFrom(part, next.unit, Math.max(next.at + 1, matched));
    next = earliest(searches);
    while (next.at < matched) {
      next.at = indexFrom(part, next.unit, matched);
      next = earliest(searches);
    }
  }
  return cuts;
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
  return (text, start, end) => keepMinimumPieces(find(text, start, end), minimum, text, start, end);
}

function keepMinimumPieces(
  found: readonly number[],
  minimum: number,
  text: string,
  start: number,
  end: number,
): number[] {
  const cuts: number[] = [];
  let last = start;
  for (const cut of found) {
    if (!isShorter(text, last, cut, minimum)) {
      cuts.push(cut);
      last = cut;
    }
  }
  if (cuts.length > 0 && isShorter(text, last, end, minimum)) cuts.pop();
  return cuts;
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

/** The delimiters that begin with one unit. */
interface Trie {
  readonly next: Map<number, Trie>;
  isEnd: boolean;
}

/** Where the next delimiter of one trie may begin; the length of the text when there is none. */
interface Search {
  readonly unit: string;
  readonly trie: Trie;
  at: number;
}

const NONE: Search = { unit: '', trie: newTrie(), at: Number.POSITIVE_INFINITY };

function newTrie(): Trie {
  return { next: new Map(), isEnd: false };
}

/** One trie for each unit that a delimiter begins with, standing behind that unit. */
function buildTries(delimiters: readonly string[]): Map<string, Trie> {
  const tries = new Map<string, Trie>();
  for (const delimiter of delimiters.filter((delimiter) => delimiter !== '')) {
    const unit = delimiter.charAt(0);
    let trie = tries.get(unit) ?? newTrie();
    tries.set(unit, trie);
    for (let at = 1; at < delimiter.length; at++) {
      const child = trie.next.get(delimiter.charCodeAt(at)) ?? newTrie();
      trie.next.set(delimiter.charCodeAt(at), child);
      trie = child;
    }
    trie.isEnd = true;
  }
  return tries;
}

function indexFrom(text: string, unit: string, from: number): number {
  const at = text.indexOf(unit, from);
  return at === -1 ? text.length : at;
}

function earliest(searches: readonly Search[]): Search {
  let first = NONE;
  for (const search of searches) if (search.at < first.at) first = search;
  return first;
}

/** End of the longest delimiter of a trie whose first unit stands at `at`, or -1. */
function matchEnd(trie: Trie, text: string, at: number): number {
  let node: Trie | undefined = trie;
  let matched = -1;
  for (let to = at + 1; node !== undefined; to++) {
    if (node.isEnd) matched = to;
    node = node.next.size === 0 || to >= text.length ? undefined : node.next.get(text.charCodeAt(to));
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
