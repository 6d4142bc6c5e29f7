import type { Node } from 'web-tree-sitter';
import type { ChunkContext } from '../../../core/contracts.ts';
import { cutAtDelimiters, cutAtWhiteSpace } from '../../../core/cuts.ts';
import type { Syntax } from './syntax.ts';

/** A syntax node of the result: one that was not cut, or a part of one that was cut at lines. */
export interface FoundNode {
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  /** What the node lies in, from the outside in, as far as that was cut. */
  readonly scope: readonly string[];
}

export interface Cuts {
  /** Rising offsets at which the text may be cut. */
  readonly offsets: readonly number[];
  /** In the order of the text; empty unless nodes are asked for. */
  readonly nodes: readonly FoundNode[];
}

export interface CutLimits {
  /** Most tokens of a piece. */
  readonly size: number;
  /** Whether functions and classes above `size` are cut too. */
  readonly splitsUnits: boolean;
  readonly wantsNodes: boolean;
}

export const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);

/** Within a node that has a meaning, before its body: what the body holds is found as in the whole text. */
const BODY = -1;

/** Characters that may be counted per character of the text; deeper nesting is cut at lines. */
const MOST_COUNTED = 64;

/**
 * Finds where a text can be cut: between the units of its syntax, each with the comments and attributes
 * that belong to it. What is above the limit is cut again along its own children.
 */
export function findCuts(
  root: Node,
  text: string,
  syntax: Syntax,
  context: ChunkContext,
  limits: CutLimits,
): Cuts {
  const offsets: number[] = [];
  const nodes: FoundNode[] = [];
  let countable = MOST_COUNTED * text.length;
  /** Cut nodes without a meaning around the present place. */
  let nameless = 0;
  /** The unit that the last cut node stands for, where that is a wrapper. */
  let owner: number | undefined;

  function fits(start: number, end: number): boolean {
    countable -= end - start;
    return context.tokens.count(start, end) <= limits.size;
  }

  function cutGroup(group: readonly Node[], start: number, end: number, scope: readonly string[]): void {
    context.signal.throwIfAborted();
    const [first] = group;
    if (fits(start, end)) note(group, scope);
    else if (first === undefined) cutLines(start, end);
    else if (group.length === 1) cutNode(first, start, end, scope);
    else cutPieces(singles(text, group, start), end, scope);
  }

  function cutNode(node: Node, start: number, end: number, scope: readonly string[]): void {
    if (!limits.splitsUnits && syntax.unitOf(node) !== undefined) {
      note([node], scope);
      return;
    }
    if (node.id === owner) {
      cutWithin(node, start, end, scope);
      return;
    }
    const label = syntax.labelOf(node);
    if (label !== undefined) {
      const outer = nameless;
      nameless = BODY;
      owner = syntax.unitOf(node)?.id;
      cutWithin(node, start, end, label === scope.at(-1) ? scope : [...scope, label]);
      nameless = outer;
      return;
    }
    // A node without a meaning stands for what it holds only where that has none either.
    const known = nodes.length;
    nameless++;
    cutWithin(node, start, end, scope);
    nameless--;
    if (nodes.length === known) note([node], scope);
  }

  function cutWithin(node: Node, start: number, end: number, scope: readonly string[]): void {
    const pieces = countable < 0 ? [] : piecesOf(node, text, syntax, start);
    const nodes = pieces[0]?.nodes ?? [];
    const body = bodyOf(nodes);
    if (pieces.length > 1) cutPieces(pieces, end, scope);
    else if (body !== undefined) cutNode(body, start, end, scope);
    else if (nodes.length > 0) cutPieces(singles(text, nodes, start), end, scope);
    else cutLines(start, end);
  }

  function cutPieces(pieces: readonly Piece[], end: number, scope: readonly string[]): void {
    pieces.forEach((piece, index) => {
      const pieceEnd = pieces[index + 1]?.start ?? end;
      if (index > 0) offsets.push(piece.start);
      cutGroup(piece.nodes, piece.start, pieceEnd, scope);
    });
  }

  function cutLines(start: number, end: number): void {
    const spans = context.divide({ start, end }, [cutAtLines, cutAtWhiteSpace], { size: limits.size });
    for (const span of spans.slice(1)) offsets.push(span.start);
  }

  function note(group: readonly Node[], scope: readonly string[]): void {
    if (!limits.wantsNodes) return;
    for (const node of group) {
      const isHidden = nameless > 0 || (scope.length > 0 && lineStart(text, node.startIndex) === undefined);
      if (isHidden && syntax.labelOf(node) === undefined) continue;
      nodes.push({ node, start: node.startIndex, end: node.endIndex, scope });
    }
  }

  cutPieces(piecesOf(root, text, syntax, 0), text.length, []);
  return { offsets, nodes };
}

/** A stretch from `start` to the next piece, and the nodes in it that are more than comments. */
interface Piece {
  readonly start: number;
  readonly nodes: Node[];
}

/**
 * The pieces of a node, of which the first begins at `start`. A node of several lines is cut at the
 * beginnings of lines only, so that a piece may hold several children.
 */
function piecesOf(node: Node, text: string, syntax: Syntax, start: number): Piece[] {
  const isOneLine = node.startPosition.row === node.endPosition.row;
  const pieces: Piece[] = [{ start, nodes: [] }];
  let lead: { start: number; row: number; isFirstOfLine: boolean } | undefined;
  let lastRow = -1;

  const begin = (at: number, canCut: boolean) => {
    const last = pieces.at(-1) as Piece;
    if (canCut && at > last.start) pieces.push({ start: at, nodes: [] });
  };

  for (const child of syntax.childrenOf(node)) {
    const place = lineStart(text, child.startIndex);
    const isFirstOfLine = place !== undefined;
    const at = place ?? child.startIndex;
    const { row } = child.startPosition;
    if (syntax.isTail(child)) {
      lastRow = child.endPosition.row;
      continue;
    }
    if (syntax.isLead(child)) {
      if (row === lastRow) continue;
      if (lead !== undefined && row - lead.row > 1) begin(lead.start, lead.isFirstOfLine || isOneLine);
      if (lead === undefined || row - lead.row > 1) lead = { start: at, row, isFirstOfLine };
      lead.row = endRow(child);
      continue;
    }
    if (lead !== undefined && row - lead.row > 1) {
      begin(lead.start, lead.isFirstOfLine || isOneLine);
      lead = undefined;
    }
    begin(lead?.start ?? at, (lead?.isFirstOfLine ?? isFirstOfLine) || isOneLine);
    (pieces.at(-1) as Piece).nodes.push(child);
    lead = undefined;
    lastRow = child.endPosition.row;
  }
  if (lead !== undefined) begin(lead.start, lead.isFirstOfLine || isOneLine);
  return pieces;
}

/** A group of nodes, cut between all of them. */
function singles(text: string, group: readonly Node[], start: number): Piece[] {
  return group.map((node, index) => ({
    start: index === 0 ? start : (lineStart(text, node.startIndex) ?? node.startIndex),
    nodes: [node],
  }));
}

/** The one node of several lines; what stands beside it belongs to its first line or its last. */
function bodyOf(nodes: readonly Node[]): Node | undefined {
  const [body, ...others] = nodes.filter(
    ({ startPosition, endPosition }) => endPosition.row > startPosition.row,
  );
  return others.length === 0 ? body : undefined;
}

/** The last row of a node; one that takes its line break along ends on the row of its text. */
function endRow(node: Node): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row - 1 : row;
}

/** Where the line of an offset begins, if there is only white space before the offset. */
function lineStart(text: string, offset: number): number | undefined {
  let at = offset;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at === 0 || text[at - 1] === '\n' || text[at - 1] === '\r' ? at : undefined;
}
