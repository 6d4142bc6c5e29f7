import type { SourcePlace, SourcePosition } from '../../core/contracts/reader.ts';
import { escapeCell } from './markdown/index.ts';
import { placesOfPages } from './places.ts';

/** Markdown that has not yet been joined to one text. */
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

/** The start of the next page. A document uses either page starts or positions, never both. */
interface PageStart {
  readonly startsPage: true;
}

export interface PlacedMarkdown {
  readonly text: string;
  readonly places: readonly SourcePlace[];
}

/** Joins pieces to one text, and returns its places. Text before the first page start belongs to the first page. */
export function writePieces(whole: Piece): PlacedMarkdown {
  const parts: string[] = [];
  const places: SourcePlace[] = [];
  const pageStarts: number[] = [];
  let length = 0;
  const put = (text: string, isInCell: boolean, positions: readonly SourcePosition[]): void => {
    const written = isInCell ? escapeCell(text) : text;
    // Replaces lone surrogates, because they cannot be encoded as UTF-8.
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
