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

export interface FoundNode {
  readonly node: SyntaxNode;
  readonly start: number;
  readonly end: number;
  /** Labels of the surrounding nodes that were cut or are containers, outermost first. */
  readonly scope: readonly string[];
}

export interface Listing {
  readonly syntax: Syntax;
  readonly nodes: FoundNode[];
  /** Number of unlabelled nodes around the current node, counted from `BODY` within the innermost labelled node. */
  nameless: number;
  /** The innermost node around the current node whose type is in `groups`. */
  group: SyntaxNode | undefined;
}

/**
 * Start of `nameless` within a labelled node. Its unlabelled body adds 1, so `nameless` is 0 for nodes in the body.
 */
export const BODY = -1;

const MAX_DEPTH = 64;

/** Lists a node. If the node is a container, lists the nodes in it instead. */
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
  // An unnamed function within another container, such as a callback, is not listed.
  if (isOpen && depth > 0 && unit !== undefined && !holdsMembers(syntax, unit)) return;
  if (isHidden(listing, node, scope, around)) return;
  nodes.push({ node, start: node.startIndex, end: node.endIndex, scope });
}

export function isBoundary({ openings, closings }: Syntax, { type }: SyntaxNode): boolean {
  return openings.includes(type) || closings.includes(type);
}

/** Appends a label to a scope, unless the label repeats the last label or is only the node's type. */
export function scopeWithin(scope: readonly string[], node: SyntaxNode, label: string): readonly string[] {
  return label === scope.at(-1) || label === node.type ? scope : [...scope, label];
}

/** Whether to list a container's children instead: the container is not a unit, is a class, or has no name. */
function isContainer(syntax: Syntax, node: SyntaxNode, unit: SyntaxNode | undefined): boolean {
  if (!syntax.containers.includes(keyOf(syntax, node))) return false;
  if (unit === undefined) return true;
  return unit.id === node.id && (holdsMembers(syntax, unit) || nameOf(syntax, node) === undefined);
}

/** Lists the children of a node. @returns whether any was listed */
function listWithin(listing: Listing, node: SyntaxNode, scope: readonly string[], depth: number): boolean {
  const { syntax, nodes, nameless, group } = listing;
  const count = nodes.length;
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
  return nodes.length > count;
}

/** Whether to leave out a node: it repeats its group's name, or has no label and is nested or within a line. */
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

/** Whether a node only defines the name of its group, as the `#define` of an include guard does. */
function repeats(syntax: Syntax, group: SyntaxNode, node: SyntaxNode): boolean {
  const name = nameOf(syntax, group);
  const text = syntax.text.slice(node.startIndex, node.endIndex).trimEnd();
  return name !== undefined && text.endsWith(` ${name}`) && unitOf(syntax, node) === undefined;
}
