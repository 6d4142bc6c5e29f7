import { closesAt, isIndentation, isLineBreak, lineStart } from './lines.ts';
import { childrenOf, isLead, isTail, type Syntax, type SyntaxNode } from './syntax.ts';

/** A stretch of a node, up to the start of the next piece. */
export interface Piece {
  readonly start: number;
  /** The nodes in the piece, without comments, attributes and the like. */
  readonly nodes: SyntaxNode[];
}

/**
 * Divides a node into pieces. A node of several lines is cut only at line starts, so a piece may contain several
 * children.
 *
 * @param start where the first piece starts
 */
export function piecesOf(node: SyntaxNode, syntax: Syntax, start: number): Piece[] {
  const isOneLine = node.startPosition.row === node.endPosition.row;
  const division: Division = {
    pieces: [{ start, nodes: [] }],
    text: syntax.text,
    isOneLine,
    lead: undefined,
    lastRow: -1,
    lastEnd: node.startIndex,
  };
  for (const child of childrenOf(syntax, node)) {
    if (isTail(syntax, child)) division.lastRow = child.endPosition.row;
    else if (isLead(syntax, child)) addLead(division, child);
    else addNode(division, child);
    division.lastEnd = child.endIndex;
  }
  beginAtLead(division);
  return division.pieces;
}

export function singles(text: string, group: readonly SyntaxNode[], start: number): Piece[] {
  return group.map((node, index) => ({
    start: index === 0 ? start : (lineStart(text, node.startIndex) ?? node.startIndex),
    nodes: [node],
  }));
}

interface Division {
  readonly pieces: Piece[];
  readonly text: string;
  readonly isOneLine: boolean;
  /** Comments and attributes that belong to the next node. */
  lead: Lead | undefined;
  lastRow: number;
  /** The end of the previous child, which may be a comment. */
  lastEnd: number;
}

interface PieceStart {
  readonly start: number;
  readonly isFirstOfLine: boolean;
}

interface Lead extends PieceStart {
  row: number;
}

function addLead(division: Division, child: SyntaxNode): void {
  const { row } = child.startPosition;
  if (row === division.lastRow) return;
  if (isApart(division, row)) beginAtLead(division);
  division.lead ??= { ...pieceStartOf(division, child), row };
  division.lead.row = endRow(child);
}

function addNode(division: Division, child: SyntaxNode): void {
  if (isApart(division, child.startPosition.row)) beginAtLead(division);
  begin(division, division.lead ?? pieceStartOf(division, child));
  (division.pieces.at(-1) as Piece).nodes.push(child);
  division.lead = undefined;
  division.lastRow = child.endPosition.row;
}

function isApart({ lead }: Division, row: number): boolean {
  return lead !== undefined && row - lead.row > 1;
}

/** Begins a separate piece for comments and attributes that no node follows. */
function beginAtLead(division: Division): void {
  if (division.lead !== undefined) begin(division, division.lead);
  division.lead = undefined;
}

function begin({ pieces, isOneLine }: Division, { start, isFirstOfLine }: PieceStart): void {
  const last = pieces.at(-1) as Piece;
  if ((isFirstOfLine || isOneLine) && start > last.start) pieces.push({ start, nodes: [] });
}

/**
 * The start of a node's piece. The piece includes a preceding operator, comma or keyword, but not a closing bracket.
 */
function pieceStartOf({ text, lastEnd }: Division, { startIndex }: SyntaxNode): PieceStart {
  const start = leaningStart(text, lastEnd, startIndex) ?? lineStart(text, startIndex);
  return { start: start ?? startIndex, isFirstOfLine: start !== undefined };
}

/** The first line with text that starts between two nodes. Lines up to a leading closing bracket are skipped. */
function leaningStart(text: string, from: number, to: number): number | undefined {
  let start: number | undefined;
  let line = from === 0 || isLineBreak(text, from - 1) ? from : undefined;
  for (let at = from; at < to; at++) {
    if (isLineBreak(text, at)) line = at + 1;
    else if (line !== undefined && !isIndentation(text, at)) {
      start = closesAt(text, at) ? undefined : (start ?? line);
      line = undefined;
    }
  }
  return line === undefined || line > to ? start : (start ?? line);
}

/** The last row of a node, not counting a line break at the end of the node. */
function endRow(node: SyntaxNode): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}
