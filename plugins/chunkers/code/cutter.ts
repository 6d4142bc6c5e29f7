import type { ChunkContext, Span } from '../../../core/kit.ts';
import { type Candidates, chooseCuts } from './boundaries.ts';
import { isLineBreak, LINE_LEVELS, lineStart, startOfLine } from './lines.ts';
import { BODY, type FoundNode, isBoundary, type Listing, list, scopeWithin } from './listing.ts';
import type { CodeOptions } from './manifest.ts';
import { labelOf } from './naming.ts';
import { type Piece, piecesOf, singles } from './pieces.ts';
import { type Embedded, holdsMembers, type Syntax, type SyntaxNode, unitOf } from './syntax.ts';

export interface Cuts {
  /** In ascending order. */
  readonly offsets: readonly number[];
  /** In text order; empty without `wantsNodes`. */
  readonly nodes: readonly FoundNode[];
  /** Starts and ends of functions and of cut classes; empty without `separatesFunctions`. */
  readonly seams: ReadonlySet<number>;
  /** Stretches to cut by the syntax of another language. */
  readonly embedded: readonly EmbeddedStretch[];
}

export interface Stretch extends Span {
  /** Labels of the cut nodes around the stretch, outermost first. */
  readonly scope: readonly string[];
}

export interface EmbeddedStretch extends Stretch {
  readonly content: Embedded;
}

export interface CutLimits {
  /** Maximum tokens of a piece. */
  readonly size: number;
  readonly oversize: CodeOptions['oversize'];
  readonly wantsNodes: boolean;
  readonly separatesFunctions: boolean;
}

/**
 * Finds cuts between the units of a text. Comments and attributes stay with their unit. A unit of more than `size`
 * tokens is cut between its children.
 *
 * @param part the part to cut, beginning with its opening tag; default: the whole text
 */
export function findCuts(
  root: SyntaxNode,
  syntax: Syntax,
  context: ChunkContext,
  limits: CutLimits,
  part?: EmbeddedStretch,
): Cuts {
  const stretch = part ?? { start: 0, end: syntax.text.length, scope: [] };
  const search: Search = {
    syntax,
    context,
    limits,
    offsets: [],
    nodes: [],
    seams: new Set(),
    embedded: [],
    tears: new Set(),
    kept: new Map(),
    countable: MAX_COUNTED * (stretch.end - stretch.start),
    nameless: 0,
    group: undefined,
    owner: undefined,
    content: undefined,
  };
  const pieces = piecesOf(root, syntax, stretch.start);
  cutPieces(search, part === undefined ? pieces : withOpening(pieces), stretch);
  const { offsets: _, ...cuts } = search;
  const { size, oversize } = limits;
  const keptSize = { keep: Number.POSITIVE_INFINITY, members: MAX_TIMES * size, split: size }[oversize];
  return { ...cuts, offsets: chooseCuts(syntax.text, context, { size, keptSize }, search, stretch) };
}

function withOpening(pieces: readonly Piece[]): readonly Piece[] {
  const [opening, first, ...others] = pieces;
  if (opening === undefined || first === undefined || opening.nodes.length > 0) return pieces;
  return [{ ...first, start: opening.start }, ...others];
}

/** Maximum characters counted per character of the text. After that, nested nodes are cut at lines. */
const MAX_COUNTED = 64;

interface Search extends Cuts, Candidates, Listing {
  readonly syntax: Syntax;
  readonly context: ChunkContext;
  readonly limits: CutLimits;
  readonly offsets: number[];
  readonly nodes: FoundNode[];
  readonly seams: Set<number>;
  readonly embedded: EmbeddedStretch[];
  readonly tears: Set<number>;
  readonly kept: Map<number, Span>;
  /** Number of characters that may still be counted; at first `MAX_COUNTED` per character of the text. */
  countable: number;
  /** Id of the unit of the node that was cut last: the node itself, or a node that it wraps. */
  owner: number | undefined;
  /** Id of the node after the opening of the node that was cut last; undefined if several nodes follow the opening. */
  content: number | undefined;
}

function cutPieces(search: Search, given: readonly Piece[], { end, scope }: Stretch): void {
  const pieces = joinSigns(search, given, end);
  pieces.forEach(({ start, nodes }, index) => {
    if (index > 0) addCut(search, nodes, start);
    cutGroup(search, nodes, { start, end: pieces[index + 1]?.start ?? end, scope });
  });
}

/**
 * Adds the cut before a piece. A block that begins within a line, as in `} else {`, also gets a cut at the start of the
 * line.
 */
function addCut({ syntax, offsets, tears }: Search, nodes: readonly SyntaxNode[], start: number): void {
  if (lineStart(syntax.text, start) === undefined && nodes.some(isOfLines)) {
    const line = startOfLine(syntax.text, start);
    if (line > (offsets.at(-1) ?? 0)) {
      offsets.push(line);
      tears.add(line);
    }
  }
  offsets.push(start);
}

function isOfLines({ startPosition, endPosition }: SyntaxNode): boolean {
  return endPosition.row > startPosition.row;
}

function cutGroup(search: Search, group: readonly SyntaxNode[], stretch: Stretch): void {
  search.context.signal.throwIfAborted();
  const [first] = group;
  const isContent = group.length === 1 && first?.id === search.content;
  const isWhole = fits(search, stretch.start, stretch.end) && !(isContent && hasNoMeaning(search, first));
  if (group.length === 1 && first?.embedded !== undefined && isParted(search, isWhole))
    embed(search, first, first.embedded, stretch);
  else if (isWhole) noteWhole(search, group, stretch);
  else if (first === undefined) cutAtLinesOf(search, stretch);
  else if (group.length === 1) cutNode(search, first, stretch);
  else cutPieces(search, singles(search.syntax.text, group, stretch.start), stretch);
}

/** Whether a node has several lines and no label. Such a node may be cut even if it fits. */
function hasNoMeaning({ syntax }: Search, node: SyntaxNode | undefined): boolean {
  return node !== undefined && isOfLines(node) && labelOf(syntax, node) === undefined;
}

const MAX_EMBEDDED = 1000;

function isParted({ limits, embedded }: Search, isWhole: boolean): boolean {
  const hasUnits = limits.wantsNodes || limits.separatesFunctions;
  return embedded.length < MAX_EMBEDDED && (hasUnits || !isWhole);
}

function embed({ embedded, syntax }: Search, node: SyntaxNode, content: Embedded, stretch: Stretch): void {
  const label = labelOf(syntax, node);
  const scope = label === undefined ? stretch.scope : [...stretch.scope, label];
  embedded.push({ start: stretch.start, end: stretch.end, scope, content });
}

function fits(search: Search, start: number, end: number, times = 1): boolean {
  search.countable -= end - start;
  return search.context.tokens.count(start, end) <= times * search.limits.size;
}

function cutNode(search: Search, node: SyntaxNode, stretch: Stretch): void {
  if (node.id === search.owner) cutWithin(search, node, stretch);
  else if (isKept(search, node, stretch.start, stretch.end)) {
    search.kept.set(stretch.start, stretch);
    note(search, [node], stretch);
  } else {
    const label = labelOf(search.syntax, node);
    if (label === undefined) cutNameless(search, node, stretch);
    else cutNamed(search, node, label, stretch);
  }
}

/** With `oversize: members`, a function of up to this many times `size` tokens stays whole. */
const MAX_TIMES = 4;

/** Whether a node of more than `size` tokens stays whole. @param start start of the node's comments and decorators */
function isKept(search: Search, node: SyntaxNode, start: number, end: number): boolean {
  const { syntax, limits } = search;
  const unit = limits.oversize === 'split' ? undefined : unitOf(syntax, node);
  if (unit === undefined) return false;
  if (limits.oversize === 'keep') return true;
  return !holdsMembers(syntax, unit) && fits(search, start, end, MAX_TIMES);
}

/**
 * Notes nodes that fit. If their piece begins within a line and contains a function or class, the piece stays whole.
 */
function noteWhole(search: Search, group: readonly SyntaxNode[], stretch: Stretch): void {
  const { syntax, limits, kept } = search;
  const [first] = group;
  const isInLine = first !== undefined && lineStart(syntax.text, stretch.start) === undefined;
  if (isInLine && limits.oversize !== 'split' && group.some((node) => unitOf(syntax, node) !== undefined)) {
    // Searches for the start of the line only within the piece, because the line may be as long as the text.
    let start = first.startIndex;
    while (start > stretch.start && !isLineBreak(syntax.text, start - 1)) start--;
    kept.set(stretch.start, { start, end: stretch.end });
  }
  note(search, group, stretch);
}

function cutNamed(search: Search, node: SyntaxNode, label: string, stretch: Stretch): void {
  const { start, end, scope } = stretch;
  const { nameless } = search;
  if (search.limits.separatesFunctions) search.seams.add(start).add(end);
  search.nameless = BODY;
  const unit = unitOf(search.syntax, node);
  search.owner = unit?.id;
  cutWithin(search, node, { start, end, scope: scopeWithin(scope, unit ?? node, label) });
  search.nameless = nameless;
}

/** Cuts a node without a label. Lists the node itself only if nothing within the node was listed. */
function cutNameless(search: Search, node: SyntaxNode, stretch: Stretch): void {
  const { nodes, nameless, group, syntax } = search;
  const count = nodes.length;
  if (syntax.groups.includes(node.type)) search.group = node;
  else search.nameless++;
  cutWithin(search, node, stretch);
  search.nameless = nameless;
  search.group = group;
  if (nodes.length === count) note(search, [node], stretch);
}

function cutWithin(search: Search, node: SyntaxNode, stretch: Stretch): void {
  const { syntax, countable } = search;
  const pieces = countable < 0 ? [] : piecesOf(node, syntax, stretch.start);
  const nodes = pieces[0]?.nodes ?? [];
  const body = bodyOf(nodes);
  if (pieces.length > 1) {
    addTears(search, node, pieces);
    search.content = pieces.length === 2 ? pieces[1]?.nodes[0]?.id : undefined;
    cutPieces(search, pieces, stretch);
  } else if (body !== undefined) cutNode(search, body, stretch);
  else if (nodes.length > 0) cutPieces(search, singles(syntax.text, nodes, stretch.start), stretch);
  else cutAtLinesOf(search, stretch);
}

/** Marks the cuts between a node's opening and its body as tears. */
function addTears({ tears }: Search, node: SyntaxNode, pieces: readonly Piece[]): void {
  const [opening, first] = pieces as [Piece, Piece, ...Piece[]];
  const start = opening.nodes[0]?.startIndex;
  if (start === undefined || start > node.startIndex) tears.add(first.start);
  const body = node.childForFieldName('body')?.startIndex ?? 0;
  for (const piece of pieces.slice(1)) {
    if (piece.start > body) break;
    tears.add(piece.start);
  }
}

function bodyOf(nodes: readonly SyntaxNode[]): SyntaxNode | undefined {
  const [body, ...others] = nodes.filter(isOfLines);
  return others.length === 0 ? body : undefined;
}

function cutAtLinesOf({ context, limits, offsets }: Search, { start, end }: Stretch): void {
  const spans = context.divide({ start, end }, LINE_LEVELS, { size: limits.size });
  for (const span of spans.slice(1)) offsets.push(span.start);
}

function note(search: Search, group: readonly SyntaxNode[], { start, end, scope }: Stretch): void {
  const { syntax, limits } = search;
  const isFunction = (unit: SyntaxNode | undefined) => unit !== undefined && !holdsMembers(syntax, unit);
  if (limits.separatesFunctions && group.some((node) => isFunction(unitOf(syntax, node))))
    search.seams.add(start).add(end);
  if (limits.wantsNodes) for (const node of group) list(search, node, scope);
}

const MAX_PUNCTUATION = 64;

/**
 * Joins a piece of only punctuation with the piece that it opens or closes, if both fit together. Examples are a
 * closing bracket and the quotation marks of a docstring.
 */
function joinSigns(search: Search, pieces: readonly Piece[], end: number): Piece[] {
  const joined: Piece[] = [];
  let opening: Piece | undefined;
  pieces.forEach((piece, index) => {
    const next = pieces[index + 1];
    const to = next?.start ?? end;
    const last = joined.at(-1);
    const isSign = opening === undefined && isOnlySign(search.syntax, piece, to);
    if (isSign && next !== undefined && opens(search.syntax, piece, to, index)) {
      opening = piece;
    } else if (opening !== undefined) {
      joined.push(...join(search, opening, piece, piece, to));
      opening = undefined;
    } else if (isSign && last !== undefined) {
      joined.splice(-1, 1, ...join(search, last, piece, last, to));
    } else {
      joined.push(piece);
    }
  });
  return joined;
}

function isOnlySign(syntax: Syntax, { start, nodes }: Piece, end: number): boolean {
  if (nodes.length > 0 && nodes.every((node) => isBoundary(syntax, node))) return true;
  if (end - start > MAX_PUNCTUATION || /[\p{L}\p{N}]/u.test(syntax.text.slice(start, end))) return false;
  return nodes.every((node) => labelOf(syntax, node) === undefined);
}

/** Whether a piece of punctuation opens the next piece: it is the first piece, or ends with an opening bracket. */
function opens({ text, closings }: Syntax, { start, nodes }: Piece, end: number, index: number): boolean {
  if (nodes.some(({ type }) => closings.includes(type))) return false;
  return index === 0 || /[([{<]\s*$/.test(text.slice(start, end));
}

/**
 * Joins two adjacent pieces if they fit together, or if `larger` must be cut anyway. In the second case, only the nodes
 * of `larger` are cut.
 */
function join(search: Search, first: Piece, second: Piece, larger: Piece, end: number): Piece[] {
  const { start } = first;
  if (fits(search, start, end)) return [{ start, nodes: [...first.nodes, ...second.nodes] }];
  return isCut(search, larger, larger === first ? second.start : end)
    ? [{ start, nodes: larger.nodes }]
    : [first, second];
}

function isCut(search: Search, { start, nodes }: Piece, end: number): boolean {
  return nodes.every((node) => !isKept(search, node, start, end)) && !fits(search, start, end);
}
