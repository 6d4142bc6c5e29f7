import type { Range } from 'web-tree-sitter';
import { countUpTo } from '../../../core/kit.ts';
import type { LanguageName } from './manifest.ts';

/**
 * How the syntax nodes of a language are cut. A key is the type of a syntax node, or `type:word` for nodes of that type
 * whose first named child is that word (`call:def`).
 */
export interface Rules {
  /** Types whose nodes have a meaning only with their first word, as in `call:def`. */
  readonly worded: readonly string[];
  /** Functions and classes, each with the word before its name in a scope (`class Parser`). */
  readonly units: Readonly<Record<string, string>>;
  /** Nodes that may be cut between the units in them, each with the word before its name in a scope. */
  readonly spaces: Readonly<Record<string, string>>;
  /** Nodes that wrap a unit: `export`, decorators, assignments of functions. */
  readonly wrappers: readonly string[];
  /** Nodes that stay with what follows them, besides comments: attributes, annotations, signatures. */
  readonly leads: readonly string[];
  /** Nodes that stay with what precedes them. */
  readonly tails: readonly string[];
  /** Nodes that open the node around them: they stay with what follows if that fits. */
  readonly openings: readonly string[];
  /** Nodes that close the node around them: they stay with what precedes if that fits. */
  readonly closings: readonly string[];
  /** Nodes whose children count as children of their parent. */
  readonly flat: readonly string[];
  /** Nodes whose inner units are listed even if the node is not cut. */
  readonly containers: readonly string[];
  /** Containers that only group: the nodes in them count as if the group were not there. */
  readonly groups: readonly string[];
  /** Calls that may be given a function, and the nodes between both. */
  readonly calls: readonly string[];
  /**
   * Where the name of a node is, if the common rules do not find it; the first word that finds a name counts. A word is
   * a field or the type of a child, or one of these:
   * - `first`: the first child; `identifiers`: from the first to the last identifier; `*`: the first name at any depth
   * - `itself`; `common`: by the common rules; `none`: the node has no name
   * - `call`: the first argument, if that is a string and a function is given too
   * - `from:operator`, `from:this`: from that word to the parameters; `parameters`: the child before the parameters
   */
  readonly names: Readonly<Record<string, string>>;
}

export interface Language extends Rules {
  readonly name: LanguageName;
  readonly aliases: readonly string[];
  /** Whether its grammar is in `grammars/`, because the package `tree-sitter-wasms` lacks it or has a broken one. */
  readonly isBundled: boolean;
  /** The grammar's name in the name of its file. */
  readonly grammar: string;
  /** Makes a text readable for the grammar without changing its length. */
  readonly prepare?: ((text: string) => string) | undefined;
}

/** The particulars of a language. */
export type Row = Partial<Omit<Language, 'name'>>;

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
