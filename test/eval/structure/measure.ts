import { pathOf, type Stretch, type Truth } from './truth.ts';

/** A chunk of a page, with the place of its text. */
export interface Piece extends Stretch {
  readonly text: string;
  /** Undefined of splitters that do not say it. */
  readonly heading_path?: readonly string[] | undefined;
}

/** Counts over the chunks of many pages. */
export interface Counts {
  chunks: number;
  /** Chunks whose last line is a heading. */
  endWithHeading: number;
  /** Of these, those whose heading has something standing under it. */
  headingAlone: number;
  beginWithFenceEnd: number;
  fences: number;
  fencesCut: number;
  rows: number;
  rowsCut: number;
  items: number;
  itemsCut: number;
  /** Chunks of fewer than 20 characters that are not whole pages. */
  tiny: number;
  /** Sum of the fill of chunks; 1 is the limit. */
  fill: number;
  over: number;
  paths: number;
  pathsWrong: number;
}

export function newCounts(): Counts {
  return {
    chunks: 0,
    endWithHeading: 0,
    headingAlone: 0,
    beginWithFenceEnd: 0,
    fences: 0,
    fencesCut: 0,
    rows: 0,
    rowsCut: 0,
    items: 0,
    itemsCut: 0,
    tiny: 0,
    fill: 0,
    over: 0,
    paths: 0,
    pathsWrong: 0,
  };
}

/** A page with what another parser knows of it, and how its chunks are counted. */
export interface Measured {
  readonly text: string;
  readonly truth: Truth;
  readonly size: number;
  count(text: string): number;
}

/** Adds the counts of the chunks of one page. */
export function addCounts(counts: Counts, pieces: readonly Piece[], page: Measured): void {
  const cuts = pieces.slice(1).map(({ start }) => start);
  addCuts(counts, cuts, page);
  const headings = page.truth.outer.filter(({ isHeading }) => isHeading);
  const fenceEnds = new Set(
    page.truth.blocks.filter(({ kind }) => kind === 'fence').map((one) => lastLineOf(page.text, one)),
  );
  for (const piece of pieces) {
    const tokens = page.count(piece.text);
    counts.chunks++;
    counts.fill += tokens / page.size;
    if (tokens > page.size) counts.over++;
    if (piece.text.length < 20 && pieces.length > 1) counts.tiny++;
    const ink = piece.start + piece.text.search(/\S|$/);
    if (ink > piece.start || piece.text.trim() !== '') {
      if (fenceEnds.has(lineStart(page.text, ink))) counts.beginWithFenceEnd++;
    }
    const end = piece.start + piece.text.trimEnd().length;
    const last = headings.find(
      (heading) => heading.end === end || (heading.end > end && heading.start < end),
    );
    if (last !== undefined && last.start >= piece.start) {
      counts.endWithHeading++;
      if (hasText(page, last)) counts.headingAlone++;
    }
    addPath(counts, piece, page.truth);
  }
}

function addPath(counts: Counts, piece: Piece, truth: Truth): void {
  if (piece.heading_path === undefined) return;
  counts.paths++;
  const expected = pathOf(truth, piece).map(letters).join('\n');
  if (expected !== piece.heading_path.map(letters).join('\n')) counts.pathsWrong++;
}

/** The letters and digits of a heading: parsers differ in what they make of entities and of spaces. */
function letters(name: string): string {
  return name.replace(/&[a-z]+;|[^\p{L}\p{N}]/gu, '').slice(0, 150);
}

function hasText({ truth: { outer } }: Measured, heading: Stretch): boolean {
  const next = outer[outer.findIndex(({ start }) => start === heading.start) + 1];
  return next !== undefined && !next.isHeading;
}

function addCuts(counts: Counts, cuts: readonly number[], { text, truth, size, count }: Measured): void {
  const cutIn = ({ start, end }: Stretch) => cuts.some((cut) => cut > start && cut < end);
  const add = (stretches: readonly Stretch[]) => {
    const fitting = stretches.filter(({ start, end }) => count(text.slice(start, end)) <= size);
    return [fitting.length, fitting.filter(cutIn).length] as const;
  };
  const [fences, fencesCut] = add(truth.blocks.filter(({ kind }) => kind === 'fence'));
  const [rows, rowsCut] = add(truth.rows);
  const [items, itemsCut] = add(truth.blocks.filter(({ kind }) => kind === 'item'));
  counts.fences += fences;
  counts.fencesCut += fencesCut;
  counts.rows += rows;
  counts.rowsCut += rowsCut;
  counts.items += items;
  counts.itemsCut += itemsCut;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the last line of a block of several begins; -1 if it has one. */
function lastLineOf(text: string, { start, end }: Stretch): number {
  const line = lineStart(text, end);
  return line > start && /^[ \t>]*(?:`{3,}|~{3,})\s*$/.test(text.slice(line, end)) ? line : -1;
}
