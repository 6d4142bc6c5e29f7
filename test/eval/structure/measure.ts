import { pathOf, type Stretch, type Truth } from './truth.ts';

/** The place of a chunk of a page. */
export interface Piece extends Stretch {
  readonly heading_path?: readonly string[];
}

/** A page with what another parser knows of it. */
export interface Measured {
  readonly text: string;
  readonly truth: Truth;
  /** Whether a text is within the limit of chunks. */
  fits(text: string): boolean;
}

export type Counts = ReturnType<typeof measure>;

/**
 * Counts what the chunks of a page do to headings, and to fences and rows that fit, and whether their paths are those of
 * the other parser.
 */
export function measure(pieces: readonly Piece[], { text, truth, fits }: Measured) {
  const cuts = pieces.slice(1).map(({ start }) => start);
  const fitting = (all: readonly Stretch[]) => all.filter(({ start, end }) => fits(text.slice(start, end)));
  const cutOf = (all: readonly Stretch[]) =>
    all.filter(({ start, end }) => cuts.some((cut) => cut > start && cut < end)).length;
  const fences = fitting(truth.blocks.filter(({ kind }) => kind === 'fence'));
  const rows = fitting(truth.rows);
  const isStranded = ({ start, end }: Stretch) => cuts.some((cut) => cut >= start && cut <= end);
  const paths = pieces.filter(({ heading_path }) => heading_path !== undefined);
  const isHeadingsOnly = (piece: Piece) => {
    const held = truth.outer.filter(({ start, end }) => start < piece.end && end > piece.start);
    return held.length > 0 && held.every(({ isHeading, end }) => isHeading && end <= piece.end);
  };
  const isWrong = (piece: Piece) => shown(pathOf(truth, piece)) !== shown(piece.heading_path ?? []);
  return {
    chunks: pieces.length,
    fences: fences.length,
    fencesCut: cutOf(fences),
    rows: rows.length,
    rowsCut: cutOf(rows),
    headings: truth.headings.length,
    headingsStranded: truth.headings.filter(isStranded).length,
    paths: paths.length,
    pathsWrong: paths.filter(isWrong).length,
    headingsOnly: pieces.slice(0, -1).filter(isHeadingsOnly).length,
  };
}

/** The letters and digits of headings: parsers differ in what they make of entities and of spaces. */
const shown = (path: readonly string[]): string =>
  path.map((name) => name.replace(/&[a-z]+;|[^\p{L}\p{N}]/gu, '').slice(0, 150)).join('\n');
