import type { CutFinder } from '../../contracts/chunker.ts';
import { addCut } from './cuts.ts';

/** Where a delimiter belongs: to the piece before it (`prev`) or to the piece after it (`next`). */
export type DelimiterSide = 'prev' | 'next';

/**
 * Cuts at literal delimiters, never at patterns. Where several delimiters match, the longest wins, and the search
 * continues after it. For given delimiters, takes linear time in the text.
 */
export function cutAtDelimiters(delimiters: readonly string[], side: DelimiterSide = 'prev'): CutFinder {
  const tries = buildTries(delimiters);
  const searched = createSearched(tries);
  return (text, start, end) =>
    areDense(tries, text, start, end)
      ? readDelimiters(tries, side === 'prev', text, start, end)
      : searchDelimiters(searched, side === 'prev', text, start, end);
}

function searchDelimiters(
  { common, rare }: Searched,
  isPrev: boolean,
  text: string,
  start: number,
  end: number,
): number[] {
  const part = text.slice(start, end);
  const cuts: number[] = [];
  const searches: Search[] = [];
  addSearches(searches, common, part);
  if (rare !== undefined && RARE_UNIT.test(part))
    addSearches(searches, occurring(rare, text, start, end), part);
  let next = earliest(searches);
  while (next.at < part.length) {
    const matched = matchEnd(next.trie, part, next.at, part.length);
    if (matched !== -1) addCut(cuts, text, start + (isPrev ? matched : next.at), start, end);
    next.at = indexFrom(part, next.prefix, Math.max(next.at + 1, matched));
    next = earliest(searches);
    while (next.at < matched) {
      next.at = indexFrom(part, next.prefix, matched);
      next = earliest(searches);
    }
  }
  return cuts;
}

interface Search {
  readonly prefix: string;
  readonly trie: Trie;
  at: number;
}

const NOWHERE = 2 ** 30 - 1;
const NONE: Search = { prefix: '', trie: newTrie(), at: NOWHERE };

function addSearches(searches: Search[], tries: Tries, part: string): void {
  for (const { prefix, trie } of tries) {
    const at = indexFrom(part, prefix, 0);
    if (at < part.length) searches.push({ prefix, trie, at });
  }
}

function indexFrom(text: string, prefix: string, from: number): number {
  const at = text.indexOf(prefix, from);
  return at === -1 ? text.length : at;
}

function earliest(searches: readonly Search[]): Search {
  let first = NONE;
  for (const search of searches) if (search.at < first.at) first = search;
  return first;
}

/** Number of units at the start of a long stretch that are read to estimate how dense delimiters are. */
const SAMPLE = 512;
const LONG = 8;
/** Above one possible delimiter start per this many units, reading every unit is faster than `indexOf`. */
const DENSE = 32;

function areDense(tries: Tries, text: string, start: number, end: number): boolean {
  if (end - start < LONG * SAMPLE) return false;
  useTable(tries);
  let found = 0;
  for (let at = start; at < start + SAMPLE; at++) {
    const index = table[text.charCodeAt(at)] as number;
    if (index !== 0 && (known[index - 1] as Tries[number]).prefix.length === 1) found++;
  }
  return found * DENSE > SAMPLE;
}

const BLOCK = 1 << 14;
/** The units of the current block of a text. Reading from an array is about twice as fast as `charCodeAt`. */
const units = new Uint16Array(BLOCK);
const bytes = Buffer.from(units.buffer);

function readDelimiters(tries: Tries, isPrev: boolean, text: string, start: number, end: number): number[] {
  useTable(tries);
  const stretch: Stretch = { text, start, end, isPrev, cuts: [] };
  let done = start;
  for (let from = start; from < end; from += BLOCK) {
    const to = Math.min(from + BLOCK, end);
    bytes.write(text.slice(from, to), 'utf16le');
    done = cutBlock(from, findStarts(to - from), done, stretch);
  }
  return stretch.cuts;
}

interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isPrev: boolean;
  readonly cuts: number[];
}

/**
 * Cuts at the delimiters of the current block, which begins at `from`.
 *
 * @param found the number of possible starts of delimiters in `starts`
 * @param done the end of the last delimiter before the block
 * @returns the end of the last delimiter in or before the block
 */
function cutBlock(
  from: number,
  found: number,
  done: number,
  { text, start, end, isPrev, cuts }: Stretch,
): number {
  let last = done;
  for (let index = 0; index < found; index++) {
    const place = starts[index] as number;
    const at = from + place;
    if (at < last) continue;
    const trie = (known[(table[units[place] as number] as number) - 1] as Tries[number]).trie;
    const matched = trie.next.size === 0 ? at + 1 : matchEnd(trie, text, at, end);
    if (matched === -1) continue;
    addCut(cuts, text, isPrev ? matched : at, start, end);
    last = matched;
  }
  return last;
}

const starts = new Uint16Array(BLOCK);

function findStarts(length: number): number {
  let found = 0;
  for (let at = 0; at < length; at++) if (table[units[at] as number] !== 0) starts[found++] = at;
  return found;
}

/** For each unit, 1 + the index in `known` of the trie that begins with the unit; 0 if there is none. */
const table = new Uint16Array(0x10000);
let known: Tries = [];

/** Fills the table for a finder. All finders share one table, because it is large. */
function useTable(tries: Tries): void {
  if (tries === known) return;
  for (const { prefix } of known) table[prefix.charCodeAt(0)] = 0;
  known = tries;
  tries.forEach(({ prefix }, index) => {
    table[prefix.charCodeAt(0)] = index + 1;
  });
}

interface Searched {
  readonly common: Tries;
  readonly rare: Rare | undefined;
}

/** Tries by first unit. `rowOf` maps the unit's high byte to a row of 256 entries in `rows`; row 0 is empty. */
interface Rare {
  readonly tries: Tries;
  readonly rowOf: Uint8Array;
  readonly rows: Uint8Array;
}

/** Units that do not occur in texts in Latin letters, which excludes dashes, quotation marks, arrows and emoji. */
const RARE_UNIT = /[\u0250-\u1fff\u2024\u203c-\u203e\u2047-\u2049\u2c00-\ud83b\ue000-\ufe0e\ufe10-\uffff]/;
const MIN_RARE = 4;
/** Maximum number of tries, because `rows` holds indexes as bytes. */
const MAX_RARE = 255;

/** Separates the tries that begin with rare units. One pass over a stretch then excludes most of these tries. */
function createSearched(tries: Tries): Searched {
  const isRare = ({ prefix }: Tries[number]) => RARE_UNIT.test(prefix.charAt(0));
  const rare = tries.filter(isRare);
  if (rare.length < MIN_RARE || rare.length > MAX_RARE) return { common: tries, rare: undefined };
  return { common: tries.filter((one) => !isRare(one)), rare: createRare(rare) };
}

function createRare(tries: Tries): Rare {
  const rowOf = new Uint8Array(256);
  const firstBytes = new Set(tries.map(({ prefix }) => prefix.charCodeAt(0) >>> 8));
  [...firstBytes].forEach((byte, index) => {
    rowOf[byte] = index + 1;
  });
  const rows = new Uint8Array((firstBytes.size + 1) << 8);
  tries.forEach(({ prefix }, index) => {
    const unit = prefix.charCodeAt(0);
    rows[((rowOf[unit >>> 8] as number) << 8) | (unit & 255)] = index + 1;
  });
  return { tries, rowOf, rows };
}

const MIN_BLOCKS = 256;
const NO_TRIES: Tries = [];
const isFound = new Uint8Array(MAX_RARE + 1);

function occurring(rare: Rare, text: string, start: number, end: number): Tries {
  const found: number[] = [];
  if (end - start < MIN_BLOCKS) findRareUnits(rare, text, start, end, found);
  else {
    for (let from = start; from < end; from += BLOCK) {
      const to = Math.min(from + BLOCK, end);
      bytes.write(text.slice(from, to), 'utf16le');
      findRareInBlock(rare, to - from, found);
    }
  }
  if (found.length === 0) return NO_TRIES;
  for (const index of found) isFound[index] = 0;
  return found.map((index) => rare.tries[index - 1] as Tries[number]);
}

function findRareUnits({ rowOf, rows }: Rare, text: string, start: number, end: number, found: number[]) {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const row = rowOf[unit >>> 8] as number;
    if (row !== 0) addFound(rows[(row << 8) | (unit & 255)] as number, found);
  }
}

function findRareInBlock({ rowOf, rows }: Rare, length: number, found: number[]): void {
  for (let at = 0; at < length; at++) {
    const unit = units[at] as number;
    const row = rowOf[unit >>> 8] as number;
    if (row !== 0) addFound(rows[(row << 8) | (unit & 255)] as number, found);
  }
}

function addFound(index: number, found: number[]): void {
  if (index === 0 || isFound[index] === 1) return;
  isFound[index] = 1;
  found.push(index);
}

interface Trie {
  readonly next: Map<number, Trie>;
  isEnd: boolean;
}

function newTrie(): Trie {
  return { next: new Map(), isEnd: false };
}

type Tries = readonly { readonly prefix: string; readonly trie: Trie }[];

function buildTries(delimiters: readonly string[]): Tries {
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
  return Array.from(tries, ([unit, trie]) => ({ prefix: unit + commonPrefix(trie), trie }));
}

function commonPrefix(trie: Trie): string {
  let prefix = '';
  let node = trie;
  while (!node.isEnd && node.next.size === 1) {
    for (const [unit, child] of node.next) {
      prefix += String.fromCharCode(unit);
      node = child;
    }
  }
  return prefix;
}

/** End of the longest delimiter that begins at `at` and ends at `end` or earlier; -1 if there is none. */
function matchEnd(trie: Trie, text: string, at: number, end: number): number {
  let node: Trie | undefined = trie;
  let matched = -1;
  for (let to = at + 1; node !== undefined; to++) {
    if (node.isEnd) matched = to;
    node = node.next.size === 0 || to >= end ? undefined : node.next.get(text.charCodeAt(to));
  }
  return matched;
}

/** Cuts after zero-width spaces, and after word separators of Tibetan and Ethiopic. */
export const cutAtWordSigns: CutFinder = cutAtDelimiters(['\u200b', '\u0f0b', '\u1361']);
