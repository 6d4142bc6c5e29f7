import type { SourcePlace, SourcePosition } from '../../core/contracts/reader.ts';
import { escapeCell } from './markdown/index.ts';
import { placesOfPages } from './places.ts';

/** Markdown that is not yet joined to one text. */
export type Piece = string | readonly Piece[] | PlacedPiece | CellPiece | PageStart;

/** Markdown with its positions in the source. */
interface PlacedPiece {
  readonly text: string;
  readonly positions: readonly SourcePosition[];
}

/** Markdown in a cell of a table, without line breaks. */
interface CellPiece {
  readonly cell: Piece;
}

/** The next page begins here. A document has page starts or positions, not both. */
interface PageStart {
  readonly startsPage: true;
}

export interface PlacedMarkdown {
  readonly text: string;
  readonly places: readonly SourcePlace[];
}

/** Joins Markdown to one text, with the places of its pieces. Text before the first page start belongs to the first page. */
export function writePieces(whole: Piece): PlacedMarkdown {
  const parts: string[] = [];
  const places: SourcePlace[] = [];
  const pageStarts: number[] = [];
  let length = 0;
  const put = (text: string, isInCell: boolean, positions: readonly SourcePosition[]): void => {
    const written = isInCell ? escapeCell(text) : text;
    // A lone surrogate cannot be encoded.
    parts.push(written.toWellFormed());
    const start = length;
    length += written.length;
    if (length > start) for (const position of positions) places.push({ start, end: length, ...position });
  };
  const write = (piece: Piece, isInCell: boolean): void => {
    if (typeof piece === 'string') put(piece, isInCell, []);
    else if ('text' in piece) put(piece.text, isInCell, piece.positions);
    else if ('cell' in piece) write(piece.cell, true);
    else if ('startsPage' in piece) pageStarts.push(pageStarts.length === 0 ? 0 : length);
    else for (const one of piece) write(one, isInCell);
  };
  write(whole, false);
  return {
    text: parts.join(''),
    places: pageStarts.length > 0 ? placesOfPages(pageStarts, length) : places,
  };
}
