import { lineStart } from './lines.ts';
import { labelOf, nameOf } from './naming.ts';
import {
  childrenOf,
  holdsMembers,
  isLead,
  isTail,
  keyOf,
  type Syntax,
  type SyntaxNode,
  unitOf,
} from './syntax.ts';

/** A syntax node of the result: one that was not cut, or a part of one that was cut at lines. */
export interface FoundNode {
  readonly node: SyntaxNode;
  readonly start: number;
  readonly end: number;
  /** The nodes with a meaning around it that were cut or that list what is in them, outermost first. */
  readonly scope: readonly string[];
}

/** The list of nodes, and where in the tree it is continued. */
export interface Listing {
  readonly syntax: Syntax;
  readonly nodes: FoundNode[];
  /** How many nodes without a meaning are open here; `BODY` within the body of one that has a meaning. */
  nameless: number;
  /** The innermost open node of `groups`. */
  group: SyntaxNode | undefined;
}

/** Within a node that has a meaning, before its body: the content of the body is treated like the whole text. */
export const BODY = -1;

/** Containers within each other that list what is in them, with the nodes between them. */
const MAX_DEPTH = 64;

/** Adds a node that is not cut, or what is in it if it is a container. */
export function list(
  listing: Listing,
  node: SyntaxNode,
  scope: readonly string[],
  depth = 0,
  around?: SyntaxNode,
): void {
  const { syntax, nodes } = listing;
  if (isBoundary(syntax, node)) return;
  const unit = syntax.containers.length === 0 ? undefined : unitOf(syntax, node);
  const isOpen = depth < MAX_DEPTH && isContainer(syntax, node, unit);
  if (isOpen && listWithin(listing, node, scope, depth)) return;
  // A function that is given to a call is not listed beside what is in others.
  if (isOpen && depth > 0 && unit !== undefined && !holdsMembers(syntax, unit)) return;
  if (isHidden(listing, node, scope, around)) return;
  nodes.push({ node, start: node.startIndex, end: node.endIndex, scope });
}

/** Whether a node only opens or closes what contains it. */
export function isBoundary({ openings, closings }: Syntax, { type }: SyntaxNode): boolean {
  return openings.includes(type) || closings.includes(type);
}

/** The scope of what is in a node; a label that is only the type of the node is left out. */
export function scopeWithin(scope: readonly string[], node: SyntaxNode, label: string): readonly string[] {
  return label === scope.at(-1) || label === node.type ? scope : [...scope, label];
}

/** Whether a node lists what is in it: if it is not a unit, is a function that is given to a call, or holds several units. */
function isContainer(syntax: Syntax, node: SyntaxNode, unit: SyntaxNode | undefined): boolean {
  if (!syntax.containers.includes(keyOf(syntax, node))) return false;
  if (unit === undefined) return true;
  return unit.id === node.id && (holdsMembers(syntax, unit) || nameOf(syntax, node) === undefined);
}

/** Adds what is in a node, and says whether that is anything. */
function listWithin(listing: Listing, node: SyntaxNode, scope: readonly string[], depth: number): boolean {
  const { syntax, nodes, nameless, group } = listing;
  const known = nodes.length;
  const isGroup = syntax.groups.includes(node.type);
  const label = isGroup ? undefined : labelOf(syntax, node);
  const hasMeaning = label !== undefined && label !== node.type;
  if (isGroup) listing.group = node;
  else listing.nameless = hasMeaning ? BODY : nameless + 1;
  const inner = hasMeaning ? scopeWithin(scope, node, label) : scope;
  for (const child of childrenOf(syntax, node))
    if (!isLead(syntax, child) && !isTail(syntax, child)) list(listing, child, inner, depth + 1, node);
  listing.nameless = nameless;
  listing.group = group;
  return nodes.length > known;
}

/** Whether a node is left out beside the others: it has no meaning, and is not one of the lines of what contains it. */
function isHidden(
  { syntax, nameless, group }: Listing,
  node: SyntaxNode,
  scope: readonly string[],
  around: SyntaxNode | undefined,
): boolean {
  const isWithin = scope.length > 0 || group !== undefined;
  const isFirst = node.startIndex === around?.startIndex;
  const isLine = !isFirst && (!isWithin || lineStart(syntax.text, node.startIndex) !== undefined);
  if (nameless <= 0 && isLine) return group !== undefined && repeats(syntax, group, node);
  return labelOf(syntax, node) === undefined;
}

/** Whether a node only defines the name that its group asks for, as that of an include guard does. */
function repeats(syntax: Syntax, group: SyntaxNode, node: SyntaxNode): boolean {
  const name = nameOf(syntax, group);
  const text = syntax.text.slice(node.startIndex, node.endIndex).trimEnd();
  return name !== undefined && text.endsWith(` ${name}`) && unitOf(syntax, node) === undefined;
}
