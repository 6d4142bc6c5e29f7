import type { SourcePlace, SourcePosition } from '../../../core/kit.ts';
import { escapeCell } from '../../toolkit/markdown/index.ts';

/** Markdown that is not yet joined to one text. */
export type Piece = string | readonly Piece[] | Placed | OneLine;

/** Markdown that comes from somewhere. */
interface Placed {
  readonly text: string;
  readonly positions: readonly SourcePosition[];
}

/** Markdown in a cell of a table, without line breaks. */
interface OneLine {
  readonly line: Piece;
}

/** Joins Markdown to one text, and finds the stretches of it that come from somewhere. */
export function flatten(whole: Piece): { text: string; places: SourcePlace[] } {
  const parts: string[] = [];
  const places: SourcePlace[] = [];
  let length = 0;
  const put = (text: string, isLine: boolean, positions: readonly SourcePosition[]): void => {
    const written = isLine ? escapeCell(text) : text;
    // A lone surrogate is not a character, and cannot be encoded.
    parts.push(written.toWellFormed());
    const start = length;
    length += written.length;
    if (length > start) for (const position of positions) places.push({ start, end: length, ...position });
  };
  const write = (piece: Piece, isLine: boolean): void => {
    if (typeof piece === 'string') put(piece, isLine, []);
    else if ('text' in piece) put(piece.text, isLine, piece.positions);
    else if ('line' in piece) write(piece.line, true);
    else for (const one of piece) write(one, isLine);
  };
  write(whole, false);
  return { text: parts.join(''), places };
}

export function isEmpty(piece: Piece): boolean {
  if (typeof piece === 'string') return piece === '';
  if ('text' in piece) return piece.text === '';
  return 'line' in piece ? isEmpty(piece.line) : piece.every(isEmpty);
}

/** Pieces that are not empty, with something between them. */
export function joined(pieces: readonly Piece[], between: string): readonly Piece[] {
  return pieces
    .filter((piece) => !isEmpty(piece))
    .flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
}
