import { type Chunk, type DocumentInfo, type RefineTools, splitsCodePoint } from '../../../core/kit.ts';
import type { Value } from './template.ts';

/** A chunk among the others of its document. */
export interface Place {
  readonly chunk: Chunk;
  readonly previous: Chunk | undefined;
  readonly next: Chunk | undefined;
}

/** What values are made from besides the chunk. */
export interface Sources {
  readonly document: DocumentInfo;
  /** The separator between headings, and between the units of a scope. */
  readonly separator: string;
  readonly join: RefineTools['join'];
}

/** A value that is the same for all chunks of the document; `undefined` if it is not. */
export function sharedValue({ name, argument }: Value, document: DocumentInfo): string | undefined {
  const { title, filename, id, metadata } = document;
  if (name === 'title') return title ?? '';
  if (name === 'filename') return filename;
  if (name === 'id') return id;
  return name === 'metadata' && metadata !== undefined ? metadataText(metadata, argument) : undefined;
}

/** A chunk's own value; empty if it has none. */
export function ownValue({ name, argument }: Value, place: Place, { separator, join }: Sources): string {
  const { chunk, previous, next } = place;
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
      // Joined, so that shared text is left out.
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

/** The text of a string, a number or a boolean, or of a list of these; empty for anything else. */
function textOf(value: unknown, separator: string): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => (isText(one) || typeof one === 'boolean') && one !== '').join(separator);
}

/** Whether a value is a string or a number; JSON such as 1e400 is neither once it is parsed. */
function isText(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isFinite(value);
}

/** The member of metadata at a path of names separated by dots, or with an empty path what identifies the document. */
function metadataText(metadata: unknown, path: string): string {
  return path === '' ? identityIn(metadata) : textOf(memberOf(metadata, path), ', ');
}

/** Maximum characters of a list of names or values, which are never cut. */
const MAX_LIST_LENGTH = 300;
/** Longer strings in metadata are texts about the document. */
const MAX_VALUE_LENGTH = 80;
/** Addresses, hashes and times distinguish documents without telling what they are about. */
const NOISE = [
  /:\/\//,
  /[0-9a-f]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}/i,
  /^(\w+, )?(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/. ]\w{1,9}[-/. ]\d{2,4})[T, ]+\d\d?:\d\d|^\d{8}T\d{4}/,
];

/** The short values of metadata, in their order. */
function identityIn(metadata: unknown): string {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return '';
  const values = Object.values(metadata)
    .flat()
    .filter(isText)
    .map((value) => String(value).trim());
  const isNoise = (value: string) => NOISE.some((pattern) => pattern.test(value));
  return wholeWithin(values.filter((value) => isWithin(value, MAX_VALUE_LENGTH) && !isNoise(value)));
}

/** A unit of code in a chunk. */
interface CodeNode {
  readonly name: string;
  readonly scope: readonly string[];
  readonly members: readonly string[];
}

/** The `nodes` of a chunk, which may come from a request. */
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

/** The outermost units that all nodes have in common. */
function sharedScope(nodes: readonly CodeNode[]): readonly string[] {
  const [first, ...others] = nodes.map(({ scope }) => scope);
  return others.reduce((shared, scope) => {
    const end = shared.findIndex((unit, depth) => unit !== scope[depth]);
    return end === -1 ? shared : shared.slice(0, end);
  }, first ?? []);
}

/** The names of nodes, each once and after the innermost unit around it if the nodes do not share that. */
function namesOf(nodes: readonly CodeNode[], separator: string): Set<string> {
  const { length } = sharedScope(nodes);
  return new Set(nodes.map(({ name, scope }) => textOf([scope.slice(length).at(-1), name], separator)));
}

/** The names of nodes, then those of their members, which are not part of the words. */
function withMembers(nodes: readonly CodeNode[], separator: string): Set<string> {
  return new Set([...namesOf(nodes, separator), ...nodes.flatMap(({ members }) => members)]);
}

/** The words of an identifier: capitals not followed by a small letter, a word with at most one capital, or digits. */
const WORD =
  /[\p{Lu}\p{Lt}]+(?![\p{Ll}\p{Lo}\p{Lm}\p{M}])|[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;
/** A longer one counts as several: it could overflow the stack of an expression. */
const IDENTIFIER = /[\p{L}\p{M}\p{N}_]{1,1000}/gu;

/** The units around nodes and the names of these, their identifiers as words; empty if each is one word. */
function wordsOf(nodes: readonly CodeNode[], separator: string): string {
  const names = [...sharedScope(nodes), ...namesOf(nodes, separator)];
  const words = names.map((name) =>
    name.replace(IDENTIFIER, (one) => one.match(WORD)?.join(' ').toLowerCase() ?? one),
  );
  const isSame = words.every((one, at) => one === names[at]?.toLowerCase());
  return isSame ? '' : wholeWithin(new Set(words));
}

/** As many of the first values as a list may hold, without empty ones. */
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

/** The member at a path of names separated by dots. */
function memberOf(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner, name) ? inner[name] : undefined), value);
}

function isObject(value: unknown, member: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}

/** At most this many characters from the start of a text: whole words, if it contains white space. */
function firstWords(text: string, most: number): string {
  const trimmed = text.trimStart();
  const end = startOfRest(trimmed, most);
  if (end === trimmed.length || isSpace(trimmed, end)) return trimmed.slice(0, end).trimEnd();
  let cut = end;
  while (cut > 0 && !isSpace(trimmed, cut - 1)) cut--;
  return trimmed.slice(0, cut || end).trimEnd();
}

/** At most this many characters from the end of a text: whole words, if it contains white space. */
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

/** At most this many characters from the start of a text. */
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
