import type { CutFinder } from '../contracts/chunker.ts';
import { addCut } from './cuts.ts';

/** Which piece a delimiter belongs to: the one before the cut or the one after it. */
export type DelimiterSide = 'prev' | 'next';

/**
 * Cuts at literal delimiters, never at patterns. If several begin at one place, the longest counts, and
 * the search continues after it. Costs time linear in the text for a given list.
 */
export function cutAtDelimiters(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  const tries = [...buildTries(delimiters)];
  return (text, start, end) => findDelimiters(tries, side, text, start, end);
}

// At module level, because a finder lives for one request only, and V8 discards optimised code with the closure
// that it was made for.
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

/** The delimiters that begin with one unit. */
interface Trie {
  readonly next: Map<number, Trie>;
  isEnd: boolean;
}

/** Where the next delimiter of one trie may begin; the length of the text if there is none. */
interface Search {
  readonly unit: string;
  readonly trie: Trie;
  at: number;
}

// No text is as long. Infinity would make V8 keep `at` as a floating-point number, in an object of its own.
const NOWHERE = 2 ** 30 - 1;
const NONE: Search = { unit: '', trie: newTrie(), at: NOWHERE };

function newTrie(): Trie {
  return { next: new Map(), isEnd: false };
}

/** One trie for each first unit of a delimiter; its root is the node after that unit. */
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

/** End of the longest delimiter of a trie whose first unit is at `at`, or -1. */
function matchEnd(trie: Trie, text: string, at: number): number {
  let node: Trie | undefined = trie;
  let matched = -1;
  for (let to = at + 1; node !== undefined; to++) {
    if (node.isEnd) matched = to;
    node = node.next.size === 0 || to >= text.length ? undefined : node.next.get(text.charCodeAt(to));
  }
  return matched;
}
