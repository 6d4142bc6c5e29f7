import type { Range } from 'web-tree-sitter';
import { countUpTo } from '../../../core/kit.ts';
import type { LanguageName } from './manifest.ts';

/**
 * Rules for cutting the syntax nodes of a language. A key is a node type, or `type:word` for nodes of the type whose
 * first named child is the word (`call:def`).
 */
export interface Rules {
  /** Types whose keys include the first word, as in `call:def`. */
  readonly worded: readonly string[];
  /** Functions and classes, each with the word before its name in a scope (`class Parser`). */
  readonly units: Readonly<Record<string, string>>;
  /** Other nodes that may be cut between the units in them, each with the word before its name in a scope. */
  readonly spaces: Readonly<Record<string, string>>;
  /** Nodes that wrap a unit: `export`, decorators, assignments of functions. */
  readonly wrappers: readonly string[];
  /** Nodes that stay with the next node, as comments do: attributes, annotations, signatures. */
  readonly leads: readonly string[];
  /** Nodes that stay with the previous node. */
  readonly tails: readonly string[];
  /** Nodes that open their parent. Such a node stays with the next piece if both fit together. */
  readonly openings: readonly string[];
  /** Nodes that close their parent. Such a node stays with the previous piece if both fit together. */
  readonly closings: readonly string[];
  /** Nodes whose children count as children of their parent. */
  readonly flat: readonly string[];
  /** Nodes in which units are listed even if the node itself is not cut. */
  readonly containers: readonly string[];
  /** Containers whose children are listed as if they were outside the container. */
  readonly groups: readonly string[];
  /** Calls that may take a function, and the nodes between call and function. */
  readonly calls: readonly string[];
  /**
   * Where to find the name of a node; default: by the common rules. The words of a rule are tried in order. A word is a
   * field, the type of a child, or one of these:
   * - `first`: the first child; `identifiers`: from the first to the last identifier; `*`: the first name at any depth
   * - `itself`; `common`: by the common rules; `none`: the node has no name
   * - `call`: the first argument, if it is a string and the call takes a function
   * - `from:operator`, `from:this`: from that word to the parameters; `parameters`: the child before the parameters
   */
  readonly names: Readonly<Record<string, string>>;
}

export interface Language extends Rules {
  readonly name: LanguageName;
  readonly aliases: readonly string[];
  /** Whether the grammar is in `grammars/`, because the package `tree-sitter-wasms` lacks it or has a broken copy. */
  readonly isBundled: boolean;
  readonly grammar: string;
  /** Prepares a text for the grammar without changing its length. */
  readonly prepare?: ((text: string) => string) | undefined;
}

export type Row = Partial<Omit<Language, 'name'>>;

export interface Syntax extends Rules {
  readonly text: string;
  readonly prepare?: Language['prepare'];
}

/** The fields that are read from nodes of tree-sitter and of templates. */
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
  /** The content in another language, if any. */
  readonly embedded?: Embedded | undefined;
}

interface Position {
  readonly row: number;
  readonly column: number;
}

export interface Embedded {
  readonly language: Language;
  readonly range: Range;
}

const COMMENT = /comment|^haddock$|^marginalia$/;

/** Whether a node stays with the next node. In any language, a comment does. */
export function isLead({ leads }: Syntax, { type }: SyntaxNode): boolean {
  return leads.includes(type) || COMMENT.test(type);
}

export function isTail({ tails }: Syntax, { type }: SyntaxNode): boolean {
  return tails.includes(type);
}

const MAX_WRAPPERS = 4;
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

/** Units with these words are functions; units with other words are classes. */
const FUNCTION_WORDS: readonly string[] = ['macro', 'test'];

export function holdsMembers(syntax: Syntax, unit: SyntaxNode): boolean {
  const word = wordOf(syntax, keyOf(syntax, unit)) ?? '';
  return word !== '' && !FUNCTION_WORDS.includes(word);
}

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

export function isCall({ type, firstNamedChild }: SyntaxNode): boolean {
  return /call/.test(type) || /call/.test(firstNamedChild?.type ?? '');
}

/** Whether a node is a definition. A mention of a type, such as `struct point *p`, is not. */
function isDefinition(node: SyntaxNode): boolean {
  return !/_specifier$/.test(node.type) || node.childForFieldName('body') !== null;
}

export function childrenOf(syntax: Syntax, node: SyntaxNode): SyntaxNode[] {
  const children = node.namedChildren.filter((child): child is SyntaxNode => child !== null);
  if (syntax.flat.length === 0) return children;
  return children.flatMap((child) =>
    syntax.flat.includes(child.type) ? childrenOf(syntax, child) : [child],
  );
}

/** The word before the name of a node in a scope; undefined if the key is not in `units` or `spaces`. */
export function wordOf({ units, spaces }: Rules, key: string): string | undefined {
  if (Object.hasOwn(units, key)) return units[key];
  return Object.hasOwn(spaces, key) ? spaces[key] : undefined;
}

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
