import type { CutFinder } from '../contracts/chunker.ts';
import { addCut } from './cuts.ts';
import { buildTries, matchEnd, newTrie, type Trie, type Tries } from './delimiter-tries.ts';
import { areDense, readDelimiters } from './dense-delimiters.ts';

/** Which piece a delimiter belongs to: the one before the cut or the one after it. */
export type DelimiterSide = 'prev' | 'next';

/**
 * Cuts at literal delimiters, never at patterns. If several begin at one place, the longest counts, and
 * the search continues after it. Costs time linear in the text for a given list.
 */
export function cutAtDelimiters(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  const tries = buildTries(delimiters);
  return (text, start, end) =>
    areDense(tries, text, start, end)
      ? readDelimiters(tries, side === 'prev', text, start, end)
      : searchDelimiters(tries, side === 'prev', text, start, end);
}

// At module level, because a finder lives for one request only, and V8 discards optimised code with the closure
// that it was made for.
function searchDelimiters(tries: Tries, isPrev: boolean, text: string, start: number, end: number): number[] {
  const part = text.slice(start, end);
  const cuts: number[] = [];
  const searches = tries.map(([unit, trie]): Search => ({ unit, trie, at: indexFrom(part, unit, 0) }));
  let next = earliest(searches);
  while (next.at < part.length) {
    const matched = matchEnd(next.trie, part, next.at, part.length);
    if (matched !== -1) addCut(cuts, text, start + (isPrev ? matched : next.at), start, end);
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

/** Where the next delimiter of one trie may begin; the length of the text if there is none. */
interface Search {
  readonly unit: string;
  readonly trie: Trie;
  at: number;
}

// No text is as long. Infinity would make V8 keep `at` as a floating-point number, in an object of its own.
const NOWHERE = 2 ** 30 - 1;
const NONE: Search = { unit: '', trie: newTrie(), at: NOWHERE };

function indexFrom(text: string, unit: string, from: number): number {
  const at = text.indexOf(unit, from);
  return at === -1 ? text.length : at;
}

function earliest(searches: readonly Search[]): Search {
  let first = NONE;
  for (const search of searches) if (search.at < first.at) first = search;
  return first;
}
