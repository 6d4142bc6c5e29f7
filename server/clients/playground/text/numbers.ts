import type { Chunk } from '../data/model.ts';
import { firstIndex } from './pieces.ts';

export interface Numbers {
  readonly chunks: number;
  readonly least: number;
  readonly median: number;
  readonly p95: number;
  readonly most: number;
  readonly tokens: number;
  /** Number of chunks with the same text as an earlier chunk. */
  readonly duplicates: number;
  readonly overLimit: number;
  /** Share of the text that is in at least one chunk, from 0 to 1. */
  readonly coverage: number;
  readonly cuts: Readonly<Record<CutKind, number>>;
}

export type CutKind = 'sentence' | 'fence' | 'row' | 'word';

export function numbersOf(text: string, chunks: readonly Chunk[], limit: number | undefined): Numbers {
  const counts = chunks.map(({ token_count }) => token_count).sort((a, b) => a - b);
  const at = (share: number) => counts[Math.min(counts.length - 1, Math.floor(share * counts.length))] ?? 0;
  const most = limit ?? Number.POSITIVE_INFINITY;
  return {
    chunks: chunks.length,
    least: at(0),
    median: at(0.5),
    p95: at(0.95),
    most: counts.at(-1) ?? 0,
    tokens: counts.reduce((sum, count) => sum + count, 0),
    duplicates: chunks.length - new Set(chunks.map((chunk) => chunk.text)).size,
    overLimit: counts.filter((count) => count > most).length,
    coverage: coverageOf(chunks, text.length),
    cuts: cutsOf(text, chunks),
  };
}

function coverageOf(chunks: readonly Chunk[], length: number): number {
  let covered = 0;
  let end = 0;
  for (const { start_index, end_index } of chunks) {
    covered += Math.max(0, end_index - Math.max(start_index, end));
    end = Math.max(end, end_index);
  }
  return length === 0 ? 1 : covered / length;
}

const WORD_BEFORE = /[\p{L}\p{N}\p{M}_]$/u;
const WORD_AFTER = /^[\p{L}\p{N}\p{M}_]/u;
const SENTENCE_END = /[.!?。！？…:;]["'”’»)\]]*\s*$/u;
/** Maximum number of characters before a cut to search for the end of a word or sentence. */
const NEAR = 200;

/** Counts chunk ends within a word, a sentence, a fence or a table row. One end may count for several of these. */
function cutsOf(text: string, chunks: readonly Chunk[]): Record<CutKind, number> {
  const cuts = { sentence: 0, fence: 0, row: 0, word: 0 };
  const fences = fencesIn(text);
  for (const { end_index: end } of chunks) {
    if (end >= text.length) continue;
    const before = text.slice(Math.max(0, end - NEAR), end);
    if (WORD_BEFORE.test(before) && WORD_AFTER.test(text.slice(end, end + 2))) cuts.word++;
    if (!SENTENCE_END.test(before) && !/\n\s*$/.test(before)) cuts.sentence++;
    if (firstIndex(fences.length, (at) => (fences[at] as number) >= end) % 2 === 1) cuts.fence++;
    if (isInRow(text, end)) cuts.row++;
  }
  return cuts;
}

function fencesIn(text: string): number[] {
  const edges: number[] = [];
  for (const { index, 0: line } of text.matchAll(/^ {0,3}(?:```|~~~).*$/gm)) {
    edges.push(edges.length % 2 === 0 ? index : index + line.length);
  }
  if (edges.length % 2 === 1) edges.push(text.length);
  return edges;
}

function isInRow(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  if (start === offset) return false;
  return /^\s*\|.*\|\s*$/.test(text.slice(start, end === -1 ? text.length : end));
}

export function histogramOf(chunks: readonly Chunk[], most: number, classes: number): number[] {
  const counts = new Array<number>(classes).fill(0);
  const width = Math.max(1, most) / classes;
  for (const { token_count } of chunks) {
    const index = Math.min(classes - 1, Math.max(0, Math.ceil(token_count / width) - 1));
    counts[index] = (counts[index] as number) + 1;
  }
  return counts;
}
