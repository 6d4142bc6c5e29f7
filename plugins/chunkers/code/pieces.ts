import { childrenOf, isLead, isTail, type Syntax, type SyntaxNode } from './syntax.ts';

/** A stretch from `start` to the next piece, and its nodes except comments. */
export interface Piece {
  readonly start: number;
  readonly nodes: SyntaxNode[];
}

/**
 * The pieces of a node, of which the first begins at `start`. A node of several lines is cut only at the beginnings
 * of lines, so a piece may contain several children.
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

/** A group of nodes, cut between all of them. */
export function singles(text: string, group: readonly SyntaxNode[], start: number): Piece[] {
  return group.map((node, index) => ({
    start: index === 0 ? start : (lineStart(text, node.startIndex) ?? node.startIndex),
    nodes: [node],
  }));
}

const BYTE_ORDER_MARK = '\ufeff';

/** Where the line of an offset begins, if there is only white space, or a byte order mark, before the offset. */
export function lineStart(text: string, offset: number): number | undefined {
  let at = offset;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  if (at === 1 && text[0] === BYTE_ORDER_MARK) return 0;
  return at === 0 || text[at - 1] === '\n' || text[at - 1] === '\r' ? at : undefined;
}

/** The state of a node's division while its children are read. */
interface Division {
  readonly pieces: Piece[];
  readonly text: string;
  readonly isOneLine: boolean;
  /** Comments and attributes waiting for the node that they belong to. */
  lead: Lead | undefined;
  /** The row that the last node ends on. */
  lastRow: number;
  /** Where the last child ends, comments included. */
  lastEnd: number;
}

/** Where a piece can begin. */
interface Place {
  readonly start: number;
  readonly isFirstOfLine: boolean;
}

interface Lead extends Place {
  /** The row that it ends on. */
  row: number;
}

function addLead(division: Division, child: SyntaxNode): void {
  const { row } = child.startPosition;
  if (row === division.lastRow) return;
  if (isApart(division, row)) beginAtLead(division);
  division.lead ??= { ...placeOf(division, child), row };
  division.lead.row = endRow(child);
}

function addNode(division: Division, child: SyntaxNode): void {
  if (isApart(division, child.startPosition.row)) beginAtLead(division);
  begin(division, division.lead ?? placeOf(division, child));
  (division.pieces.at(-1) as Piece).nodes.push(child);
  division.lead = undefined;
  division.lastRow = child.endPosition.row;
}

/** Whether a blank line separates the lead from a row. */
function isApart({ lead }: Division, row: number): boolean {
  return lead !== undefined && row - lead.row > 1;
}

/** Lets a lead that belongs to no node begin a piece of its own. */
function beginAtLead(division: Division): void {
  if (division.lead !== undefined) begin(division, division.lead);
  division.lead = undefined;
}

function begin({ pieces, isOneLine }: Division, { start, isFirstOfLine }: Place): void {
  const last = pieces.at(-1) as Piece;
  if ((isFirstOfLine || isOneLine) && start > last.start) pieces.push({ start, nodes: [] });
}

/**
 * A node that is the first of its line begins there: an operator, a comma or a keyword before it in the line leans
 * forward, and so does one in lines of its own. A bracket that closes something leans back.
 */
function placeOf({ text, lastEnd }: Division, { startIndex }: SyntaxNode): Place {
  const start = leaningStart(text, lastEnd, startIndex) ?? lineStart(text, startIndex);
  return { start: start ?? startIndex, isFirstOfLine: start !== undefined };
}

/** The first line that begins between two nodes and has text, unless a bracket closes in it or after it. */
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

function isLineBreak(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r';
}

function isIndentation(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

const CLOSING = /[)\]}]|(?:end|fi|done|esac)\b/iy;

/** Whether a line whose text begins at `at` closes something: with a bracket, `end` or the like. */
export function closesAt(text: string, at: number): boolean {
  CLOSING.lastIndex = at;
  return CLOSING.test(text);
}

/** The last row of a node; one that includes its line break ends on the row of its text. */
function endRow(node: SyntaxNode): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}
