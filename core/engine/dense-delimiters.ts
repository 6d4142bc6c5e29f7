import { addCut } from './cuts.ts';
import { matchEnd, type Tries } from './delimiter-tries.ts';

/** Units at the start of a long stretch that tell how many delimiters it has. */
const SAMPLE = 512;
/** A stretch is long if it has so many times the sample. */
const LONG = 8;
/** Where one unit of so many may begin a delimiter, reading every unit is faster than searching for each delimiter. */
const DENSE = 32;

/** Whether delimiters are so dense in a stretch that `readDelimiters` finds them faster than a search. */
export function areDense(tries: Tries, text: string, start: number, end: number): boolean {
  if (end - start < LONG * SAMPLE) return false;
  useTable(tries);
  let found = 0;
  for (let at = start; at < start + SAMPLE; at++) if (table[text.charCodeAt(at)] !== 0) found++;
  return found * DENSE > SAMPLE;
}

/** Units of a block. */
const BLOCK = 1 << 14;
/** A block of a text: its units are read about twice as fast from an array as by `charCodeAt`. */
const units = new Uint16Array(BLOCK);
const bytes = Buffer.from(units.buffer);

/** Finds delimiters by reading every unit. */
export function readDelimiters(
  tries: Tries,
  isPrev: boolean,
  text: string,
  start: number,
  end: number,
): number[] {
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
 * Cuts at the delimiters of the block that begins at `from`.
 *
 * @param found how many `starts` it has
 * @param done where the last delimiter before it ends
 * @returns where the last one now ends
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
    const trie = (known[(table[units[place] as number] as number) - 1] as Tries[number])[1];
    const matched = trie.next.size === 0 ? at + 1 : matchEnd(trie, text, at, end);
    if (matched === -1) continue;
    addCut(cuts, text, isPrev ? matched : at, start, end);
    last = matched;
  }
  return last;
}

/** Where delimiters may begin in the block. */
const starts = new Uint16Array(BLOCK);

/** @returns how many `starts` the first units of the block have */
function findStarts(length: number): number {
  let found = 0;
  for (let at = 0; at < length; at++) if (table[units[at] as number] !== 0) starts[found++] = at;
  return found;
}

/** For each unit, the place of its trie in `known`, counted from 1, or 0. */
const table = new Uint16Array(0x10000);
/** The tries that the table is for. */
let known: Tries = [];

/** Fills the table, which is too large to be made for each finder. */
function useTable(tries: Tries): void {
  if (tries === known) return;
  for (const [unit] of known) table[unit.charCodeAt(0)] = 0;
  known = tries;
  tries.forEach(([unit], index) => {
    table[unit.charCodeAt(0)] = index + 1;
  });
}
