import type { Piece } from './pieces.ts';

/** How the pieces of a stretch are judged. */
export interface Judge {
  readonly text: string;
  /** Whether a stretch is within the limit. */
  fits(start: number, end: number): boolean;
  /** Whether a piece may be cut, or has no meaning of its own. */
  isLoose(piece: Piece): boolean;
  /** Whether the nodes of a piece have no meaning, so that they need not be noted. */
  isMeaningless(piece: Piece): boolean;
}

/** Characters of the longest piece that is looked at. */
const LONGEST = 64;

/**
 * Joins pieces that are only a sign, such as the quotation marks before a docstring or a bracket behind a body, with
 * the piece that they open or close. They stay alone only where that piece would not fit any more.
 */
export function joinSigns(pieces: readonly Piece[], end: number, judge: Judge): Piece[] {
  const joined: Piece[] = [];
  let opening: Piece | undefined;
  pieces.forEach((piece, index) => {
    const next = pieces[index + 1];
    const to = next?.start ?? end;
    const last = joined.at(-1);
    const isSign = opening === undefined && isOnlySign(piece, to, judge);
    if (isSign && next !== undefined && opens(judge.text.slice(piece.start, to), index)) {
      opening = piece;
    } else if (opening !== undefined) {
      joined.push(...join(opening, piece, piece, to, judge));
      opening = undefined;
    } else if (isSign && last !== undefined) {
      joined.splice(-1, 1, ...join(last, piece, last, to, judge));
    } else {
      joined.push(piece);
    }
  });
  return joined;
}

function isOnlySign(piece: Piece, end: number, { text, isMeaningless }: Judge): boolean {
  if (end - piece.start > LONGEST || /[\p{L}\p{N}]/u.test(text.slice(piece.start, end))) return false;
  return isMeaningless(piece);
}

/** The first piece of a stretch can only open; others do if they end with an opening bracket. */
function opens(sign: string, index: number): boolean {
  return index === 0 || /[([{<]\s*$/.test(sign);
}

/**
 * Two neighbours as one piece if that fits, or if the larger one must be cut anyway; its nodes are then cut
 * instead of those of the sign.
 */
function join(first: Piece, second: Piece, larger: Piece, end: number, judge: Judge): Piece[] {
  const { start } = first;
  if (judge.fits(start, end)) return [{ start, nodes: [...first.nodes, ...second.nodes] }];
  const isCut = judge.isLoose(larger) && !judge.fits(larger.start, larger === first ? second.start : end);
  return isCut ? [{ start, nodes: larger.nodes }] : [first, second];
}
