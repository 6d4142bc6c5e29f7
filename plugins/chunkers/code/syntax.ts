import type { Range } from 'web-tree-sitter';
import { countUpTo } from '../../../core/kit.ts';
import type { Language, Rules } from './rules.ts';

/** The rules of a language, for the syntax nodes of one text. */
export interface Syntax extends Rules {
  readonly text: string;
  readonly prepare?: Language['prepare'];
}

/** The part of a syntax node that is read: of tree-sitter's nodes, or of a template's. */
export interface SyntaxNode {
  readonly id: number;
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly startPosition: Position;
  readonly endPosition: Position;
  readonly namedChildren: readonly (SyntaxNode | null)[];
  readonly firstNamedChild: SyntaxNode | null;
  readonly parent: SyntaxNode | null;
  childForFieldName(name: string): SyntaxNode | null;
  descendantsOfType(types: string[]): readonly (SyntaxNode | null)[];
  /** Its content, if that is in another language. */
  readonly embedded?: Embedded | undefined;
}

interface Position {
  readonly row: number;
  readonly column: number;
}

/** A stretch of a text in another language. */
export interface Embedded {
  readonly language: Language;
  readonly range: Range;
}

const COMMENT = /comment|^haddock$|^marginalia$/;

/** Whether a node stays with what follows it: comments do, in any language. */
export function isLead({ leads }: Syntax, { type }: SyntaxNode): boolean {
  return leads.includes(type) || COMMENT.test(type);
}

/** Whether a node stays with what precedes it. */
export function isTail({ tails }: Syntax, { type }: SyntaxNode): boolean {
  return tails.includes(type);
}

/** Wrappers that may contain a unit. */
const MAX_WRAPPERS = 4;
/** Children of a wrapper that are examined. */
const MAX_CHILDREN = 8;

/** The function or class that a node is or wraps. */
export function unitOf(syntax: Syntax, node: SyntaxNode, depth = 0): SyntaxNode | undefined {
  if (Object.hasOwn(syntax.units, keyOf(syntax, node))) return isDefinition(node) ? node : undefined;
  if (depth === MAX_WRAPPERS || !isWrapper(syntax, node)) return undefined;
  for (const child of node.namedChildren.slice(0, MAX_CHILDREN)) {
    const unit = child === null ? undefined : unitOf(syntax, child, depth + 1);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

function isWrapper(syntax: Syntax, node: SyntaxNode): boolean {
  const { wrappers } = syntax;
  return wrappers.includes(node.type) || (syntax.worded.length > 0 && wrappers.includes(keyOf(syntax, node)));
}

/** Words of units that are functions. */
const FUNCTION_WORDS: readonly string[] = ['macro', 'test'];

/** Whether a unit is a class or the like. */
export function holdsMembers(syntax: Syntax, unit: SyntaxNode): boolean {
  const word = wordOf(syntax, keyOf(syntax, unit)) ?? '';
  return word !== '' && !FUNCTION_WORDS.includes(word);
}

/** The first word of a node, perhaps with a second word after a dot. */
const WORDS = /([\w$]+)(?:\.[\w$]+)?/y;

/** The key of a node in the rules: its type, or `type:word`. */
export function keyOf(syntax: Syntax, node: SyntaxNode): string {
  const { type } = node;
  if (!syntax.worded.includes(type)) return type;
  WORDS.lastIndex = node.startIndex;
  const [words, word] = WORDS.exec(syntax.text) ?? [];
  const key = [words, word].map((name) => `${type}:${name}`).find((name) => isKey(syntax, name));
  return key !== undefined && isCall(node) ? key : type;
}

function isKey(syntax: Syntax, key: string): boolean {
  return (
    wordOf(syntax, key) !== undefined || syntax.wrappers.includes(key) || Object.hasOwn(syntax.names, key)
  );
}

/** Whether a node is a call, or a statement that begins with a call. */
export function isCall({ type, firstNamedChild }: SyntaxNode): boolean {
  return /call/.test(type) || /call/.test(firstNamedChild?.type ?? '');
}

/** A mention of a type, such as `struct point *p`, is not its definition. */
function isDefinition(node: SyntaxNode): boolean {
  return !/_specifier$/.test(node.type) || node.childForFieldName('body') !== null;
}

/** The children that a node can be cut between. */
export function childrenOf(syntax: Syntax, node: SyntaxNode): SyntaxNode[] {
  const children = node.namedChildren.filter((child): child is SyntaxNode => child !== null);
  if (syntax.flat.length === 0) return children;
  return children.flatMap((child) =>
    syntax.flat.includes(child.type) ? childrenOf(syntax, child) : [child],
  );
}

/** The word before the name of a node in a scope; undefined if the node has no meaning. */
export function wordOf({ units, spaces }: Rules, key: string): string | undefined {
  if (Object.hasOwn(units, key)) return units[key];
  return Object.hasOwn(spaces, key) ? spaces[key] : undefined;
}

/** Where the lines of a text begin. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

export function positionOf(lineStarts: readonly number[], offset: number): Position {
  const row = countUpTo(lineStarts, offset) - 1;
  return { row, column: offset - (lineStarts[row] as number) };
}

export function rangeOf(lineStarts: readonly number[], startIndex: number, endIndex: number): Range {
  return {
    startIndex,
    endIndex,
    startPosition: positionOf(lineStarts, startIndex),
    endPosition: positionOf(lineStarts, endIndex),
  };
}
