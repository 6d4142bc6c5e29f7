import {
  type Chunk,
  type DocumentInfo,
  type RefineTools,
  refusedError,
  splitsCodePoint,
} from '../../../core/kit.ts';

export type Template = readonly (readonly Piece[])[];

export type Piece = string | readonly Value[];

interface Value {
  readonly name: ValueName;
  /** A path within metadata, or the maximum characters from a neighbouring chunk; otherwise empty. */
  readonly argument: string;
}

const PLAIN_NAMES = [
  'title',
  'filename',
  'id',
  'heading_path',
  'scope',
  'names',
  'words',
  'metadata',
  'context',
] as const;
const NEIGHBOURS = ['previous', 'next'] as const;
type ValueName = (typeof PLAIN_NAMES)[number] | (typeof NEIGHBOURS)[number];

const KNOWN = `${PLAIN_NAMES.map((name) => `{${name}}`).join(', ')}, {metadata.<name>}, {previous:<characters>}, {next:<characters>} and alternatives such as {title|filename}`;
const MAX_VALUES = 30;
const MAX_CHARACTERS = 2000;

/** Doubled braces mean literal braces. Single braces enclose the name of a value. */
const TOKENS = /\{\{|\}\}|\{([^{}\n]*)\}|[{}]|[^{}]+/g;

/** Parses a template. @throws Error for callers; its message names the problem */
export function readTemplate(text: string): Template {
  const readPiece = ([token, inner]: RegExpMatchArray): Piece =>
    inner === undefined ? readText(token as string) : readAlternatives(inner);
  const lines = text.split(/\r?\n/).map((line) => Array.from(line.matchAll(TOKENS), readPiece));
  const values = lines.flat(2).filter((piece) => typeof piece === 'object').length;
  if (values <= MAX_VALUES) return lines;
  throw refusal(`expected at most ${MAX_VALUES} values in braces, got ${values}`);
}

const refusal = (problem: string): Error => refusedError(`template: ${problem}.`);

function readText(token: string): string {
  if (token === '{{' || token === '}}') return token.slice(1);
  if (token === '{') throw refusal('a { has no } on its line; write {{ for a literal brace');
  if (token === '}') throw refusal('a } has no { before it; write }} for a literal brace');
  return token;
}

function readAlternatives(inner: string): readonly Value[] {
  const names = inner.split('|');
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined && twice !== '') throw refusal(`{${inner}} has ${twice} twice`);
  return names.map(readValue);
}

function readValue(inner: string): Value {
  const plain = PLAIN_NAMES.find((name) => name === inner);
  if (plain !== undefined) return { name: plain, argument: '' };
  const mark = inner.search(/[.:]/);
  const [head, argument] = mark === -1 ? [inner, ''] : [inner.slice(0, mark), inner.slice(mark + 1)];
  if (head === 'metadata' && inner[mark] === '.' && argument !== '') return { name: head, argument };
  const side = NEIGHBOURS.find((name) => name === head);
  if (side === undefined) throw refusal(`{${inner}} is not a known value; available: ${KNOWN}`);
  const isCount =
    inner[mark] === ':' && /^[1-9]\d{0,3}$/.test(argument) && Number(argument) <= MAX_CHARACTERS;
  if (isCount) return { name: side, argument };
  throw refusal(
    `{${inner}}: expected a number of characters from 1 to ${MAX_CHARACTERS}, such as {${side}:200}`,
  );
}

export interface Neighbours {
  readonly chunk: Chunk;
  readonly previous: Chunk | undefined;
  readonly next: Chunk | undefined;
}

export interface Sources {
  readonly document: DocumentInfo;
  readonly separator: string;
  readonly join: RefineTools['join'];
}

/** The value that all chunks of the document share; undefined if it depends on the chunk. */
export function sharedValue({ name, argument }: Value, document: DocumentInfo): string | undefined {
  const { title, filename, id, metadata } = document;
  if (name === 'title') return title ?? '';
  if (name === 'filename') return filename;
  if (name === 'id') return id;
  return name === 'metadata' && metadata !== undefined ? metadataText(metadata, argument) : undefined;
}

export function ownValue(
  { name, argument }: Value,
  neighbours: Neighbours,
  { separator, join }: Sources,
): string {
  const { chunk, previous, next } = neighbours;
  switch (name) {
    case 'id':
      return textOf(chunk.document_id, '');
    case 'filename': {
      const filename = memberOf(chunk.metadata, name);
      return typeof filename === 'string' ? filename : '';
    }
    case 'metadata':
      return metadataText(chunk.metadata, argument);
    case 'heading_path':
      return textOf(chunk.heading_path, separator);
    case 'scope':
      return sharedScope(nodesOf(chunk)).join(separator);
    case 'names':
      return wholeWithin(withMembers(nodesOf(chunk), separator));
    case 'words':
      return wordsOf(nodesOf(chunk), separator);
    case 'context':
      return textOf(chunk.context, '');
    case 'previous': {
      if (previous === undefined) return '';
      // `join` writes overlapping text once, so the text before `chunk` is what only `previous` has.
      const { text } = join([previous, chunk]);
      return lastWords(text.slice(0, Math.max(text.length - chunk.text.length, 0)), Number(argument));
    }
    case 'next':
      if (next === undefined) return '';
      return firstWords(join([chunk, next]).text.slice(chunk.text.length), Number(argument));
    default:
      return '';
  }
}

function textOf(value: unknown, separator: string): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => (isText(one) || typeof one === 'boolean') && one !== '').join(separator);
}

/** Whether a value is a string or a finite number. JSON numbers such as 1e400 are parsed as infinite. */
function isText(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isFinite(value);
}

function metadataText(metadata: unknown, path: string): string {
  return path === '' ? identityIn(metadata) : textOf(memberOf(metadata, path), ', ');
}

const MAX_LIST_LENGTH = 300;
/** Longer metadata values are treated as prose, which does not identify the document. */
const MAX_VALUE_LENGTH = 80;
/** Addresses, hashes and times. They do not show the topic of a document. */
const NOISE = [
  /:\/\//,
  /[0-9a-f]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}/i,
  /^(\w+, )?(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/. ]\w{1,9}[-/. ]\d{2,4})[T, ]+\d\d?:\d\d|^\d{8}T\d{4}/,
];

function identityIn(metadata: unknown): string {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return '';
  const values = Object.values(metadata)
    .flat()
    .filter(isText)
    .map((value) => String(value).trim());
  const isNoise = (value: string) => NOISE.some((pattern) => pattern.test(value));
  return wholeWithin(values.filter((value) => isWithin(value, MAX_VALUE_LENGTH) && !isNoise(value)));
}

interface CodeNode {
  readonly name: string;
  readonly scope: readonly string[];
  readonly members: readonly string[];
}

/** The `nodes` of a chunk. In a request, they can be any JSON. */
function nodesOf({ nodes }: Chunk): CodeNode[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.map((node: unknown) => {
    const name = memberOf(node, 'name');
    return {
      name: typeof name === 'string' ? name.trim() : '',
      scope: stringsIn(memberOf(node, 'scope')),
      members: stringsIn(memberOf(node, 'members')),
    };
  });
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function sharedScope(nodes: readonly CodeNode[]): readonly string[] {
  const [first, ...others] = nodes.map(({ scope }) => scope);
  return others.reduce((shared, scope) => {
    const end = shared.findIndex((unit, depth) => unit !== scope[depth]);
    return end === -1 ? shared : shared.slice(0, end);
  }, first ?? []);
}

/** Distinct names of nodes. A node's innermost scope precedes its name, unless all nodes share that scope. */
function namesOf(nodes: readonly CodeNode[], separator: string): Set<string> {
  const { length } = sharedScope(nodes);
  return new Set(nodes.map(({ name, scope }) => textOf([scope.slice(length).at(-1), name], separator)));
}

function withMembers(nodes: readonly CodeNode[], separator: string): Set<string> {
  return new Set([...namesOf(nodes, separator), ...nodes.flatMap(({ members }) => members)]);
}

/** A word of an identifier: capitals, or small letters after at most one capital, or digits. */
const WORD =
  /[\p{Lu}\p{Lt}]+(?![\p{Ll}\p{Lo}\p{Lm}\p{M}])|[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;
/** Matches at most 1000 characters, because a longer match could overflow the stack. */
const IDENTIFIER = /[\p{L}\p{M}\p{N}_]{1,1000}/gu;

function wordsOf(nodes: readonly CodeNode[], separator: string): string {
  const names = [...sharedScope(nodes), ...namesOf(nodes, separator)];
  const words = names.map((name) =>
    name.replace(IDENTIFIER, (one) => one.match(WORD)?.join(' ').toLowerCase() ?? one),
  );
  const isSame = words.every((one, at) => one === names[at]?.toLowerCase());
  return isSame ? '' : wholeWithin(new Set(words));
}

function wholeWithin(values: Iterable<string>): string {
  let list = '';
  for (const value of values) {
    if (value === '') continue;
    const longer = list === '' ? value : `${list}, ${value}`;
    if (!isWithin(longer, MAX_LIST_LENGTH)) break;
    list = longer;
  }
  return list;
}

function memberOf(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner, name) ? inner[name] : undefined), value);
}

function isObject(value: unknown, member: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}

/** At most `most` characters from the start of a text, in whole words if there is white space. */
function firstWords(text: string, most: number): string {
  const trimmed = text.trimStart();
  const end = startOfRest(trimmed, most);
  if (end === trimmed.length || isSpace(trimmed, end)) return trimmed.slice(0, end).trimEnd();
  let cut = end;
  while (cut > 0 && !isSpace(trimmed, cut - 1)) cut--;
  return trimmed.slice(0, cut || end).trimEnd();
}

function lastWords(text: string, most: number): string {
  const trimmed = text.trimEnd();
  let start = trimmed.length;
  for (let count = 0; count < most && start > 0; count++)
    start -= splitsCodePoint(trimmed, start - 1) ? 2 : 1;
  if (start === 0 || isSpace(trimmed, start - 1)) return trimmed.slice(start).trimStart();
  let cut = start;
  while (cut < trimmed.length && !isSpace(trimmed, cut)) cut++;
  return trimmed.slice(cut === trimmed.length ? start : cut).trimStart();
}

export function firstCharacters(text: string, most: number): string {
  return text.slice(0, startOfRest(text, most));
}

function isWithin(text: string, most: number): boolean {
  return startOfRest(text, most) === text.length;
}

function startOfRest(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let at = 0;
  for (let count = 0; count < most && at < text.length; count++) at += splitsCodePoint(text, at + 1) ? 2 : 1;
  return at;
}

function isSpace(text: string, at: number): boolean {
  return text.charAt(at).trim() === '';
}
