import { macroName } from './macros.ts';
import { holdsMembers, isCall, keyOf, type Syntax, type SyntaxNode, unitOf, wordOf } from './syntax.ts';

/** The label of a node in a scope, such as `class Parser`; undefined if its key is in neither `units` nor `spaces`. */
export function labelOf(syntax: Syntax, node: SyntaxNode): string | undefined {
  const unit = unitOf(syntax, node) ?? node;
  const word = wordOf(syntax, keyOf(syntax, unit));
  if (word === undefined) return undefined;
  return `${word} ${nameOf(syntax, node) ?? ''}`.trim() || unit.type;
}

export function nameOf(syntax: Syntax, node: SyntaxNode): string | undefined {
  const unit = unitOf(syntax, node);
  const name =
    (unit && nameIn(syntax, unit)) ??
    wrapperName(syntax, node, unit) ??
    nameIn(syntax, node) ??
    receiverName(syntax, unit);
  return name && shortened(writtenName(syntax, name));
}

/** A name as the text has it. A name that begins within a word is from a macro call that `withoutMacros` replaced. */
function writtenName({ text, prepare }: Syntax, { startIndex, endIndex }: Stretch): string {
  const isMade = prepare !== undefined && startIndex > 1 && /\w/.test(text[startIndex - 1] as string);
  return (isMade ? macroName(text, startIndex - 2) : undefined) ?? text.slice(startIndex, endIndex);
}

type Stretch = Pick<SyntaxNode, 'startIndex' | 'endIndex'>;

function wrapperName(syntax: Syntax, node: SyntaxNode, unit: SyntaxNode | undefined): Stretch | undefined {
  for (let outer = unit?.parent; outer && outer.startIndex >= node.startIndex; outer = outer.parent) {
    const named = nameIn(syntax, outer);
    if (named !== undefined) return named;
    if (outer.id === node.id) break;
  }
  return undefined;
}

/** Maximum number of nested calls around a function to look through for the variable that receives it. */
const MAX_CALLS = 8;

/** The variable that receives a function through nested calls, as in `const Row = memo(() => …)`. */
function receiverName(syntax: Syntax, unit: SyntaxNode | undefined): Stretch | undefined {
  let outer = unit?.parent ?? null;
  for (let depth = 0; outer !== null && depth < MAX_CALLS && syntax.calls.includes(outer.type); depth++)
    outer = outer.parent;
  const isReceiver = outer !== null && syntax.wrappers.includes(outer.type) && !isCall(outer);
  return outer !== null && isReceiver ? nameIn(syntax, outer) : undefined;
}

function ruleOf(syntax: Syntax, node: SyntaxNode): string | undefined {
  const { names, worded } = syntax;
  if (Object.hasOwn(names, node.type)) return names[node.type];
  const key = worded.includes(node.type) ? keyOf(syntax, node) : node.type;
  return Object.hasOwn(names, key) ? names[key] : undefined;
}

function nameIn(syntax: Syntax, node: SyntaxNode): Stretch | undefined {
  const rule = ruleOf(syntax, node);
  if (rule === undefined) return commonName(syntax, node);
  for (const word of rule.split(' ')) {
    const name = nameBy(word, syntax, node);
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameBy(rule: string, syntax: Syntax, node: SyntaxNode): Stretch | undefined {
  switch (rule) {
    case 'none':
      return undefined;
    case 'itself':
      return node;
    case 'common':
      return commonName(syntax, node);
    case 'call':
      return callName(syntax, node);
    case 'first':
      return node.firstNamedChild === null ? undefined : nameOrNode(syntax, node.firstNamedChild);
    case 'identifiers':
      return spanOf(node.namedChildren.filter((child) => child?.type === 'identifier'));
    case 'from:operator':
    case 'from:this':
      return wordBeforeParameters(rule.slice('from:'.length), syntax, node);
    case 'parameters':
      return beforeParameters(node);
    case '*':
      return node.descendantsOfType(NAME_TYPES)[0] ?? undefined;
    default: {
      const child = node.childForFieldName(rule) ?? node.namedChildren.find((one) => one?.type === rule);
      return child ? nameOrNode(syntax, child) : undefined;
    }
  }
}

/** The name within a child; the whole child if no rule describes where its name is. */
function nameOrNode(syntax: Syntax, child: SyntaxNode, isWhole = false): Stretch | undefined {
  if (NAMELESS.test(child.type)) return undefined;
  if (isWhole) return child;
  return nameIn(syntax, child) ?? (ruleOf(syntax, child) === undefined ? child : undefined);
}

/** Patterns without a single name, because they declare several variables. */
const NAMELESS = /^(?:object|array)_pattern$/;

function spanOf(nodes: readonly (SyntaxNode | null)[]): Stretch | undefined {
  const first = nodes[0];
  const last = nodes.at(-1);
  return first && last ? { startIndex: first.startIndex, endIndex: last.endIndex } : undefined;
}

/** The text from a keyword to the parameters, such as `operator int`. */
function wordBeforeParameters(word: string, { text }: Syntax, node: SyntaxNode): Stretch | undefined {
  const endIndex = parametersOf(node)?.startIndex;
  const startIndex = endIndex === undefined ? -1 : text.lastIndexOf(word, endIndex);
  return endIndex === undefined || startIndex < node.startIndex ? undefined : { startIndex, endIndex };
}

function beforeParameters(node: SyntaxNode): Stretch | undefined {
  const index = node.namedChildren.findIndex((child) => /parameter_list$/.test(child?.type ?? ''));
  return index < 1 ? undefined : (node.namedChildren[index - 1] ?? undefined);
}

function parametersOf(node: SyntaxNode): SyntaxNode | undefined {
  const parameters = node.namedChildren.find((child) => /parameter_list$/.test(child?.type ?? ''));
  if (parameters) return parameters;
  const declarator = node.childForFieldName('declarator');
  return declarator === null ? undefined : parametersOf(declarator);
}

/** The first argument of a call that takes a function, if it is a string or symbol, as in `it('adds', () => …)`. */
function callName(syntax: Syntax, node: SyntaxNode): Stretch | undefined {
  const list = node.childForFieldName('arguments');
  const all = (list?.namedChildren ?? []).slice(0, MAX_CHILDREN).map((child) => child && contentOf(child));
  const [first] = all;
  if (!first) return undefined;
  const isGiven =
    node.childForFieldName('block') !== null || all.some((one) => one && isFunction(syntax, one));
  const statement = outermost(syntax, node);
  const isKnown = keyOf(syntax, statement) !== statement.type;
  if (!isKnown && !(isGiven && LITERAL.test(first.type))) return undefined;
  const { startIndex, endIndex, type } = first;
  return { startIndex: type === 'simple_symbol' ? startIndex + 1 : startIndex, endIndex };
}

/** The statement around a call; the call itself if its type is in `worded`. */
function outermost({ worded }: Syntax, node: SyntaxNode): SyntaxNode {
  return node.parent !== null && !worded.includes(node.type) ? node.parent : node;
}

function contentOf(argument: SyntaxNode): SyntaxNode {
  const value = argument.childForFieldName('value');
  if (argument.type === 'pair') return argument.childForFieldName('key') ?? argument;
  return value ?? (argument.type === 'argument' ? (argument.firstNamedChild ?? argument) : argument);
}

const LITERAL = /string|symbol/;

function isFunction({ units }: Syntax, { type }: SyntaxNode): boolean {
  return Object.hasOwn(units, type) || /^anonymous_|^arrow_/.test(type);
}

const MAX_CHILDREN = 8;

/** Finds a name by the field `name` or `declarator`, otherwise by the types of the children. */
function commonName(syntax: Syntax, node: SyntaxNode): Stretch | undefined {
  const field = node.childForFieldName('name');
  if (field !== null) return nameOrNode(syntax, field, ruleOf(syntax, field) === undefined);
  const declarator = node.childForFieldName('declarator');
  if (declarator !== null) return nameOrNode(syntax, declarator);
  const children = node.namedChildren.slice(0, MAX_CHILDREN);
  return children.find((child) => child !== null && NAME_TYPES.includes(child.type)) ?? undefined;
}

const NAME_TYPES =
  `identifier simple_identifier type_identifier field_identifier property_identifier namespace_identifier constant
  bareword alias name object_reference bare_key dotted_key quoted_key`.split(/\s+/);

const MAX_NAME = 200;

function shortened(name: string): string {
  const line = withoutQuotes(name.replace(/\s+/g, ' ')).trim();
  return line.length <= MAX_NAME ? line : `${line.slice(0, MAX_NAME)}…`;
}

function withoutQuotes(name: string): string {
  const [quote = ''] = name;
  const isQuoted = name.length > 1 && `"'\``.includes(quote) && name.indexOf(quote, 1) === name.length - 1;
  return isQuoted ? name.slice(1, -1) : name;
}

/** Types of the nodes between a class and its members. */
const BODY = /body|block|_list$|declarations$|members|^preproc_/;
/** Types that match `BODY` but hold no members. */
const OTHER = /param|argument|base|heritage|super|inherit/;
/** Maximum nesting of bodies and classes that are searched for members. */
const MAX_DEPTH = 16;

/** The names of the functions and classes in a class, each once. Nothing within a function is included. */
export function membersOf(syntax: Syntax, node: SyntaxNode): string[] {
  const unit = unitOf(syntax, node);
  if (unit === undefined || !holdsMembers(syntax, unit)) return [];
  const names = new Set<string>();
  addMembers(syntax, unit, names, 0);
  names.delete(nameOf(syntax, node) ?? '');
  return [...names];
}

function addMembers(syntax: Syntax, node: SyntaxNode, names: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const child of node.namedChildren) {
    if (child === null) continue;
    const unit = unitOf(syntax, child);
    if (unit !== undefined) {
      const name = nameOf(syntax, child);
      if (name !== undefined) names.add(name);
      if (holdsMembers(syntax, unit)) addMembers(syntax, unit, names, depth + 1);
    } else if (BODY.test(child.type) && !OTHER.test(child.type)) addMembers(syntax, child, names, depth + 1);
  }
}
