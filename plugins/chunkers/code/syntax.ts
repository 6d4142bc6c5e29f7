import type { Range } from 'web-tree-sitter';
import type { Language, Rules } from './languages.ts';

/** The rules of a language, for the syntax nodes of one text. */
export interface Syntax extends Rules {
  readonly text: string;
}

/** What is read of a syntax node: one of tree-sitter, or of a template. */
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
  /** Its content, if that is in a language of its own. */
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

/** Whether a node stays with what follows it. */
export function isLead({ leads }: Syntax, { type }: SyntaxNode): boolean {
  return leads.includes(type) || COMMENT.test(type);
}

/** Whether a node stays with what precedes it. */
export function isTail({ tails }: Syntax, { type }: SyntaxNode): boolean {
  return tails.includes(type);
}

/** Wrappers that may contain a unit. */
const MOST_WRAPPERS = 4;
/** Children of a wrapper that are examined. */
const MOST_CHILDREN = 8;

/** The function or class that a node is, or is one with. */
export function unitOf(syntax: Syntax, node: SyntaxNode, depth = 0): SyntaxNode | undefined {
  if (Object.hasOwn(syntax.units, keyOf(syntax, node))) return isDefinition(node) ? node : undefined;
  if (depth === MOST_WRAPPERS || !syntax.wrappers.includes(node.type)) return undefined;
  for (const child of node.namedChildren.slice(0, MOST_CHILDREN)) {
    const unit = child === null ? undefined : unitOf(syntax, child, depth + 1);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

/** Words of units that are functions, although they have a word. */
const FUNCTION_WORDS: readonly string[] = ['macro', 'test'];

/** Whether a unit is a class or the like, which consists of members. */
export function holdsMembers(syntax: Syntax, unit: SyntaxNode): boolean {
  const word = wordOf(syntax, keyOf(syntax, unit)) ?? '';
  return word !== '' && !FUNCTION_WORDS.includes(word);
}

/** The key of a node in `units` and `spaces`: its type, or `type:word`. */
function keyOf({ worded, text }: Syntax, node: SyntaxNode): string {
  if (!worded.includes(node.type)) return node.type;
  const word = node.firstNamedChild;
  return word === null ? node.type : `${node.type}:${textOf(text, word)}`;
}

function textOf(text: string, { startIndex, endIndex }: SyntaxNode): string {
  return text.slice(startIndex, endIndex);
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

/** The name of a cut node in a scope, such as `class Parser`; undefined for nodes without a meaning. */
export function labelOf(syntax: Syntax, node: SyntaxNode): string | undefined {
  const unit = unitOf(syntax, node) ?? node;
  const word = wordOf(syntax, keyOf(syntax, unit));
  if (word === undefined) return undefined;
  return `${word} ${nameOf(syntax, node) ?? ''}`.trim() || unit.type;
}

function wordOf({ units, spaces }: Syntax, key: string): string | undefined {
  if (Object.hasOwn(units, key)) return units[key];
  return Object.hasOwn(spaces, key) ? spaces[key] : undefined;
}

export function nameOf(syntax: Syntax, node: SyntaxNode): string | undefined {
  const unit = unitOf(syntax, node);
  const named = (unit && nameNode(syntax, unit)) ?? wrapperName(syntax, node, unit) ?? nameNode(syntax, node);
  return named && shortened(textOf(syntax.text, named));
}

/** The name that a wrapper gives to a unit without one: that of the variable. */
function wrapperName(syntax: Syntax, node: SyntaxNode, unit: SyntaxNode | undefined): SyntaxNode | undefined {
  for (let outer = unit?.parent; outer && outer.startIndex >= node.startIndex; outer = outer.parent) {
    const named = nameNode(syntax, outer);
    if (named !== undefined) return named;
    if (outer.id === node.id) break;
  }
  return undefined;
}

function nameNode(syntax: Syntax, node: SyntaxNode): SyntaxNode | undefined {
  const given = syntax.names[node.type];
  if (given === '*') return node.descendantsOfType(NAME_TYPES)[0] ?? undefined;
  if (given !== undefined) {
    const child = node.childForFieldName(given) ?? node.namedChildren.find((one) => one?.type === given);
    return child ? (nameNode(syntax, child) ?? child) : undefined;
  }
  const field = node.childForFieldName('name');
  if (field !== null) return field;
  const declarator = node.childForFieldName('declarator');
  if (declarator !== null) return nameNode(syntax, declarator) ?? declarator;
  const children = node.namedChildren.slice(0, MOST_CHILDREN);
  return children.find((child) => child !== null && NAME_TYPES.includes(child.type)) ?? undefined;
}

const NAME_TYPES =
  `identifier simple_identifier type_identifier field_identifier property_identifier namespace_identifier constant
  bareword alias name object_reference bare_key dotted_key quoted_key`.split(/\s+/);

const LONGEST_NAME = 200;

function shortened(name: string): string {
  const line = name
    .replace(/\s+/g, ' ')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME)}…`;
}

/** Where the lines of a text begin. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
