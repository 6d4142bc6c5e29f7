import type { Node } from 'web-tree-sitter';
import type { Language } from './languages.ts';

/** The meaning of the syntax nodes of one text. */
export interface Syntax {
  /** The function or class that a node is, or is one with. */
  unitOf(node: Node): Node | undefined;
  /** Whether a node stays with what follows it. */
  isLead(node: Node): boolean;
  /** Whether a node stays with what precedes it. */
  isTail(node: Node): boolean;
  /** The children that a node can be cut between. */
  childrenOf(node: Node): Node[];
  nameOf(node: Node): string | undefined;
  /** The name of a cut node in a scope, such as `class Parser`; undefined for nodes without a meaning. */
  labelOf(node: Node): string | undefined;
}

export function createSyntax(language: Language, text: string): Syntax {
  const rules = rulesFor(language, text);
  return {
    unitOf: (node) => unitOf(rules, node),
    isLead: (node) => rules.leads.has(node.type) || COMMENT.test(node.type),
    isTail: (node) => rules.tails.has(node.type),
    childrenOf: (node) => childrenOf(rules, node),
    nameOf: (node) => nameOf(rules, node),
    labelOf: (node) => labelOf(rules, node),
  };
}

const COMMENT = /comment|^haddock$|^marginalia$/;

/** A language's rules, applied to the nodes of one text. */
interface Rules extends Pick<Language, 'units' | 'spaces' | 'names'> {
  readonly text: string;
  readonly wrappers: ReadonlySet<string>;
  readonly leads: ReadonlySet<string>;
  readonly tails: ReadonlySet<string>;
  readonly flat: ReadonlySet<string>;
  /** Types of nodes that have a meaning only with their first word (`type:word`). */
  readonly withWord: ReadonlySet<string>;
}

function rulesFor({ units, spaces, names, wrappers, leads, tails, flat }: Language, text: string): Rules {
  const keys = [...Object.keys(units), ...Object.keys(spaces)].filter((key) => key.includes(':'));
  return {
    text,
    units,
    spaces,
    names,
    wrappers: new Set(wrappers),
    leads: new Set(leads),
    tails: new Set(tails),
    flat: new Set(flat),
    withWord: new Set(keys.map((key) => key.split(':')[0] as string)),
  };
}

/** Wrappers that may contain a unit. */
const MOST_WRAPPERS = 4;
/** Children of a wrapper that are examined. */
const MOST_CHILDREN = 8;

function unitOf(rules: Rules, node: Node, depth = 0): Node | undefined {
  if (Object.hasOwn(rules.units, keyOf(rules, node))) return isDefinition(node) ? node : undefined;
  if (depth === MOST_WRAPPERS || !rules.wrappers.has(node.type)) return undefined;
  for (const child of node.namedChildren.slice(0, MOST_CHILDREN)) {
    const unit = child === null ? undefined : unitOf(rules, child, depth + 1);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

/** The key of a node in `units` and `spaces`: its type, or `type:word`. */
function keyOf({ withWord, text }: Rules, node: Node): string {
  if (!withWord.has(node.type)) return node.type;
  const word = node.firstNamedChild;
  return word === null ? node.type : `${node.type}:${textOf(text, word)}`;
}

function textOf(text: string, { startIndex, endIndex }: Node): string {
  return text.slice(startIndex, endIndex);
}

/** A mention of a type, such as `struct point *p`, is not its definition. */
function isDefinition(node: Node): boolean {
  return !/_specifier$/.test(node.type) || node.childForFieldName('body') !== null;
}

function childrenOf(rules: Rules, node: Node): Node[] {
  const children = node.namedChildren.filter((child): child is Node => child !== null);
  if (rules.flat.size === 0) return children;
  return children.flatMap((child) => (rules.flat.has(child.type) ? childrenOf(rules, child) : [child]));
}

function labelOf(rules: Rules, node: Node): string | undefined {
  const unit = unitOf(rules, node) ?? node;
  const word = wordOf(rules, keyOf(rules, unit));
  if (word === undefined) return undefined;
  return `${word} ${nameOf(rules, node) ?? ''}`.trim() || unit.type;
}

function wordOf({ units, spaces }: Rules, key: string): string | undefined {
  if (Object.hasOwn(units, key)) return units[key];
  return Object.hasOwn(spaces, key) ? spaces[key] : undefined;
}

function nameOf(rules: Rules, node: Node): string | undefined {
  const unit = unitOf(rules, node);
  const named = (unit && nameNode(rules, unit)) ?? wrapperName(rules, node, unit) ?? nameNode(rules, node);
  return named && shortened(textOf(rules.text, named));
}

/** The name that a wrapper gives to a unit without one: that of the variable. */
function wrapperName(rules: Rules, node: Node, unit: Node | undefined): Node | undefined {
  for (let outer = unit?.parent; outer && outer.startIndex >= node.startIndex; outer = outer.parent) {
    const named = nameNode(rules, outer);
    if (named !== undefined) return named;
    if (outer.id === node.id) break;
  }
  return undefined;
}

function nameNode(rules: Rules, node: Node): Node | undefined {
  const given = rules.names[node.type];
  if (given === '*') return node.descendantsOfType([...NAME_TYPES])[0] ?? undefined;
  if (given !== undefined) {
    const child = node.childForFieldName(given) ?? node.namedChildren.find((one) => one?.type === given);
    return child ? (nameNode(rules, child) ?? child) : undefined;
  }
  const field = node.childForFieldName('name');
  if (field !== null) return field;
  const declarator = node.childForFieldName('declarator');
  if (declarator !== null) return nameNode(rules, declarator) ?? declarator;
  const children = node.namedChildren.slice(0, MOST_CHILDREN);
  return children.find((child) => child !== null && NAME_TYPES.has(child.type)) ?? undefined;
}

const NAME_TYPES: ReadonlySet<string> = new Set([
  'identifier',
  'simple_identifier',
  'type_identifier',
  'field_identifier',
  'property_identifier',
  'namespace_identifier',
  'constant',
  'bareword',
  'alias',
  'name',
  'object_reference',
  'bare_key',
  'dotted_key',
  'quoted_key',
]);

const LONGEST_NAME = 200;

function shortened(name: string): string {
  const line = name
    .replace(/\s+/g, ' ')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME)}…`;
}
