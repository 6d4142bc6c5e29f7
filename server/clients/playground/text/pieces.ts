import { type Chunk, isKnown, limitOf, NO_RUN, type Run, type Setting } from '../data/model.ts';
import type { State } from '../data/state.ts';

/**
 * Finds the first index for which `isReached` is true, by binary search. Returns `count` if there is no such index.
 *
 * @param isReached must stay true after the first index for which it is true
 */
export function firstIndex(count: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const USUAL_BLOCK_LENGTH = 1200;
const MAX_BLOCK_LENGTH = 3000;

/** The start of each block of a text, plus the length of the text. The viewer renders a text block by block. */
export function blocksOf(text: string): number[] {
  const edges = [0];
  let start = 0;
  while (text.length - start > USUAL_BLOCK_LENGTH) {
    const end = endOfBlock(text, start);
    if (end >= text.length) break;
    edges.push(end);
    start = end;
  }
  if (text.length > 0) edges.push(text.length);
  return edges;
}

function endOfBlock(text: string, start: number): number {
  const line = text.indexOf('\n', start + USUAL_BLOCK_LENGTH);
  if (line !== -1 && line < start + MAX_BLOCK_LENGTH) return line + 1;
  const space = text.lastIndexOf(' ', start + MAX_BLOCK_LENGTH);
  const end = space > start + USUAL_BLOCK_LENGTH ? space + 1 : start + MAX_BLOCK_LENGTH;
  return splitsPair(text, end) ? end + 1 : end;
}

export function blockAt(edges: readonly number[], offset: number): number {
  return Math.max(0, firstIndex(edges.length - 1, (block) => (edges[block] as number) > offset) - 1);
}

function splitsPair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  const isPair = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return isPair || (before === 13 && after === 10);
}

export interface Piece {
  readonly start: number;
  readonly end: number;
  /** The index of the first chunk that covers the piece; -1 if no chunk does. */
  readonly chunk: number;
  readonly isOverlap: boolean;
  readonly isStart: boolean;
}

/**
 * Divides `[from, to)` at the starts and ends of chunks.
 *
 * @param chunks in the order of the text: neither starts nor ends decrease
 */
export function piecesOf(chunks: readonly Chunk[], from: number, to: number): Piece[] {
  const first = firstIndex(chunks.length, (index) => (chunks[index] as Chunk).end_index > from);
  const edges = new Set([from, to]);
  const starts = new Set<number>();
  for (let index = first; index < chunks.length; index++) {
    const { start_index, end_index } = chunks[index] as Chunk;
    if (start_index >= to) break;
    if (start_index >= from) starts.add(start_index);
    if (end_index < to) edges.add(end_index);
  }
  const sorted = [...edges.union(starts)].sort((a, b) => a - b);
  let covering = first;
  return sorted.slice(0, -1).map((start, at) => {
    while (covering < chunks.length && (chunks[covering] as Chunk).end_index <= start) covering++;
    const covers = (index: number) => (chunks[index]?.start_index ?? Number.POSITIVE_INFINITY) <= start;
    const end = sorted[at + 1] as number;
    const chunk = covers(covering) ? covering : -1;
    return { start, end, chunk, isOverlap: chunk !== -1 && covers(covering + 1), isStart: starts.has(start) };
  });
}

/** Returns, for each list of chunks, the starts and ends that at least one other list lacks. */
export function differencesOf(lists: readonly (readonly Chunk[])[]): Set<number>[] {
  const all = lists.map(
    (chunks) => new Set(chunks.flatMap(({ start_index, end_index }) => [start_index, end_index])),
  );
  const shared = all.reduce((common, own) => common.intersection(own), all[0] ?? new Set());
  return all.map((own) => own.difference(shared));
}

export interface Column {
  readonly setting: Setting;
  readonly run: Run;
  /** Starts and ends of this setting's chunks that at least one other setting lacks. */
  readonly differences: ReadonlySet<number>;
  /** The index of the selected chunk; -1 if none is selected. */
  readonly selected: number;
  readonly hits: ReadonlyMap<number, number>;
}

const NO_DIFFERENCES: ReadonlySet<number> = new Set();

export function columnsOf({ settings, runs, selection, showsDifferences, asked }: State): Column[] {
  const shown = settings.map(({ id }) => runs.get(id) ?? NO_RUN);
  const compared = shown.filter(isKnown);
  const isCompared = showsDifferences && compared.length > 1 && shown.every(({ isStale }) => !isStale);
  const differences = isCompared ? differencesOf(compared.map(({ chunks }) => chunks)) : [];
  return settings.map((setting, index) => {
    const run = shown[index] ?? NO_RUN;
    const hits = asked.found.get(setting.id)?.hits ?? [];
    return {
      setting,
      run,
      differences: differences[compared.indexOf(run)] ?? NO_DIFFERENCES,
      selected: selection?.setting === setting.id ? selection.chunk : -1,
      hits: new Map(hits.map(({ chunk }, index) => [chunk, index + 1])),
    };
  });
}

export function classesOf(column: Column, { start, chunk, isOverlap, isStart }: Piece): string {
  const { run, setting, differences, selected, hits } = column;
  const isOver = (run.chunks[chunk]?.token_count ?? 0) > (limitOf(setting) ?? Number.POSITIVE_INFINITY);
  const classes = [
    chunk === -1 ? isKnown(run) && 'gap' : chunk % 2 === 0 ? 'even' : 'odd',
    isOverlap && 'overlap',
    isStart && 'start',
    isOver && 'over',
    differences.has(start) && isStart && 'differs',
    chunk === selected && chunk !== -1 && 'selected',
    hits.has(chunk) && 'hit',
  ];
  return classes.filter(Boolean).join(' ');
}
