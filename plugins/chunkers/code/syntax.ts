import type { Node } from 'web-tree-sitter';
import type { Language } from './languages.ts';

/** What the syntax nodes of one text mean. */
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
  /** What a scope calls a node that was cut, such as `class Parser`; nothing for nodes without a meaning. */
  labelOf(node: Node): string | undefined;
}

/** Wrappers that are looked into for a unit. */
const MOST_WRAPPERS = 4;
/** Children of a wrapper that are looked at. */
const MOST_CHILDREN = 8;
const LONGEST_NAME = 200;

export function createSyntax(language: Language, text: string): Syntax {
  const { units, spaces, names } = language;
  const wrappers = new Set(language.wrappers);
  const leads = new Set(language.leads);
  const tails = new Set(language.tails);
  const flat = new Set(language.flat);
  const withWord = new Set(
    [...Object.keys(units), ...Object.keys(spaces)].flatMap((key) =>
      key.includes(':') ? [key.split(':')[0]] : [],
    ),
  );

  const textOf = (node: Node) => text.slice(node.startIndex, node.endIndex);

  function keyOf(node: Node): string {
    if (!withWord.has(node.type)) return node.type;
    const word = node.firstNamedChild;
    return word === null ? node.type : `${node.type}:${textOf(word)}`;
  }

  function unitOf(node: Node, depth = 0): Node | undefined {
    if (Object.hasOwn(units, keyOf(node))) return isDefinition(node) ? node : undefined;
    if (depth === MOST_WRAPPERS || !wrappers.has(node.type)) return undefined;
    for (const child of node.namedChildren.slice(0, MOST_CHILDREN)) {
      const unit = child === null ? undefined : unitOf(child, depth + 1);
      if (unit !== undefined) return unit;
    }
    return undefined;
  }

  function nameOf(node: Node): string | undefined {
    const unit = unitOf(node);
    const named = (unit && nameNode(unit)) ?? wrapperName(node, unit) ?? nameNode(node);
    return named && shortened(textOf(named));
  }

  /** The name that a wrapper gives to a unit without one: that of the variable. */
  function wrapperName(node: Node, unit: Node | undefined): Node | undefined {
    for (let outer = unit?.parent; outer && outer.startIndex >= node.startIndex; outer = outer.parent) {
      const named = nameNode(outer);
      if (named !== undefined) return named;
      if (outer.id === node.id) break;
    }
    return undefined;
  }

  function nameNode(node: Node): Node | undefined {
    const given = names[node.type];
    if (given === '*') return node.descendantsOfType([...NAME_TYPES])[0] ?? undefined;
    if (given !== undefined) {
      const child = node.childForFieldName(given) ?? node.namedChildren.find((one) => one?.type === given);
      return child ? (nameNode(child) ?? child) : undefined;
    }
    const field = node.childForFieldName('name');
    if (field !== null) return field;
    const declarator = node.childForFieldName('declarator');
    if (declarator !== null) return nameNode(declarator) ?? declarator;
    return (
      node.namedChildren
        .slice(0, MOST_CHILDREN)
        .find((child) => child !== null && NAME_TYPES.has(child.type)) ?? undefined
    );
  }

  return {
    unitOf,
    isLead: (node) => leads.has(node.type) || COMMENT.test(node.type),
    isTail: (node) => tails.has(node.type),
    childrenOf(node) {
      const children = node.namedChildren.filter((child): child is Node => child !== null);
      if (flat.size === 0) return children;
      return children.flatMap((child) => (flat.has(child.type) ? this.childrenOf(child) : [child]));
    },
    nameOf,
    labelOf(node) {
      const unit = unitOf(node) ?? node;
      const key = keyOf(unit);
      const word = Object.hasOwn(units, key)
        ? units[key]
        : Object.hasOwn(spaces, key)
          ? spaces[key]
          : undefined;
      if (word === undefined) return undefined;
      return `${word} ${nameOf(node) ?? ''}`.trim() || unit.type;
    },
  };
}

const COMMENT = /comment|^haddock$|^marginalia$/;

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

/** A mention of a type, such as `struct point *p`, is not its definition. */
function isDefinition(node: Node): boolean {
  return !/_specifier$/.test(node.type) || node.childForFieldName('body') !== null;
}

function shortened(name: string): string {
  const line = name
    .replace(/\s+/g, ' ')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME)}…`;
}
