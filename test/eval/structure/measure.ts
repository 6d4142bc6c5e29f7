import { pathOf, type Stretch, type Truth } from './truth.ts';

/** A chunk of a page, with the place of its text. */
export interface Piece extends Stretch {
  readonly text: string;
  /** Undefined of splitters that do not say it. */
  readonly heading_path?: readonly string[] | undefined;
}

const COUNTED = [
  'chunks',
  /** Chunks whose last line is a heading. */
  'endWithHeading',
  /** Of these, those whose heading has something standing under it. */
  'headingAlone',
  ...(['beginWithFenceEnd', 'fences', 'fencesCut', 'rows', 'rowsCut', 'items', 'itemsCut'] as const),
  /** Chunks of fewer than 20 characters that are not whole pages. */
  'tiny',
  /** Sum of the fill of chunks; 1 is the limit. */
  'fill',
  ...(['over', 'paths', 'pathsWrong'] as const),
] as const;

/** Counts over the chunks of many pages. */
export type Counts = Record<(typeof COUNTED)[number], number>;

export function newCounts(): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts;
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
  addCuts(counts, pieces, page);
  const headings = page.truth.outer.filter(({ isHeading }) => isHeading);
  const fences = page.truth.blocks.filter(({ kind }) => kind === 'fence');
  const fenceEnds = new Set(fences.map((one) => lastLineOf(page.text, one)));
  for (const piece of pieces) {
    const tokens = page.count(piece.text);
    counts.chunks++;
    counts.fill += tokens / page.size;
    if (tokens > page.size) counts.over++;
    if (piece.text.length < 20 && pieces.length > 1) counts.tiny++;
    const ink = piece.start + piece.text.search(/\S|$/);
    if (piece.text !== '' && fenceEnds.has(lineStart(page.text, ink))) counts.beginWithFenceEnd++;
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

function addCuts(counts: Counts, pieces: readonly Piece[], { text, truth, size, count }: Measured): void {
  const cuts = pieces.slice(1).map(({ start }) => start);
  const cutIn = ({ start, end }: Stretch) => cuts.some((cut) => cut > start && cut < end);
  const add = (name: 'fences' | 'rows' | 'items', stretches: readonly Stretch[]) => {
    const fitting = stretches.filter(({ start, end }) => count(text.slice(start, end)) <= size);
    counts[name] += fitting.length;
    counts[`${name}Cut`] += fitting.filter(cutIn).length;
  };
  const ofKind = (kind: string) => truth.blocks.filter((block) => block.kind === kind);
  add('fences', ofKind('fence'));
  add('rows', truth.rows);
  add('items', ofKind('item'));
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the last line of a block of several begins; -1 if it has one. */
function lastLineOf(text: string, { start, end }: Stretch): number {
  const line = lineStart(text, end);
  return line > start && /^[ \t>]*(?:`{3,}|~{3,})\s*$/.test(text.slice(line, end)) ? line : -1;
}
