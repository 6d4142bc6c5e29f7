import {
  type Chunk,
  type DocumentInfo,
  type Refinery,
  type RefineTools,
  refusedError,
  splitsCodePoint,
} from '../../../core/kit.ts';
import type { ContextOptions } from './manifest.ts';

export default function createContextRefinery(): Refinery<ContextOptions> {
  return {
    refine(chunks, { template, separator, max_length }, { document, join, signal }) {
      const fill = fillerOf(readTemplate(template), { document, separator, join }, max_length);
      return chunks.map((chunk, index) => {
        signal.throwIfAborted();
        const context = fill({ chunk, previous: chunks[index - 1], next: chunks[index + 1] });
        return { ...chunk, context: context === '' ? null : context };
      });
    },
  };
}

/**
 * Prepares a template for the chunks of one document. A line whose values are all empty is left out.
 *
 * @param most maximum characters of the text; the rest is cut off
 * @returns renders the template for a chunk; empty if the template has values and all of them are empty
 */
function fillerOf(template: Template, sources: Sources, most: number): (place: Place) => string {
  const lines = template.map((line) => {
    const pieces = line.map((piece) => preparePiece(piece, sources, most));
    return { pieces, asks: pieces.some(({ isValue }) => isValue) };
  });
  const isFixed = lines.every(({ asks }) => !asks);
  return (place) => {
    let isUseful = isFixed;
    let text = '';
    let isFirst = true;
    for (const { pieces, asks } of lines) {
      // A character has at most two units: the units beyond that would be cut off.
      if (text.length > 2 * most) break;
      const made = fillLine(pieces, place, most);
      if (asks && !made.hasValue) continue;
      text += isFirst ? made.text : `\n${made.text}`;
      isFirst = false;
      isUseful ||= made.hasValue;
    }
    return isUseful ? firstCharacters(text, most) : '';
  };
}

interface PreparedPiece {
  readonly isValue: boolean;
  textOf(place: Place): string;
}

/** Values that are the same for all chunks are computed once. */
function preparePiece(piece: Piece, sources: Sources, most: number): PreparedPiece {
  if (typeof piece === 'string') return { isValue: false, textOf: () => piece };
  const cut = (value: string) => firstCharacters(value.trim(), most);
  const shared = sharedValue(piece, sources.document);
  if (shared === undefined) return { isValue: true, textOf: (place) => cut(ownValue(piece, place, sources)) };
  const value = cut(shared);
  return { isValue: true, textOf: () => value };
}

function fillLine(pieces: readonly PreparedPiece[], place: Place, most: number) {
  let text = '';
  let hasValue = false;
  for (const { isValue, textOf } of pieces) {
    if (text.length > 2 * most) break;
    const value = textOf(place);
    hasValue ||= isValue && value !== '';
    text += value;
  }
  return { text, hasValue };
}

/** A chunk among the others of its document. */
interface Place {
  readonly chunk: Chunk;
  readonly previous: Chunk | undefined;
  readonly next: Chunk | undefined;
}

/** What values are made from besides the chunk. */
interface Sources {
  readonly document: DocumentInfo;
  /** The separator between headings. */
  readonly separator: string;
  readonly join: RefineTools['join'];
}

/** A value that is the same for all chunks of the document; `undefined` if it is not. */
function sharedValue({ name, argument }: Value, { title, id, metadata }: DocumentInfo): string | undefined {
  if (name === 'title') return title ?? '';
  if (name === 'id') return id;
  return name === 'metadata' && metadata !== undefined
    ? textOf(memberOf(metadata, argument), ', ')
    : undefined;
}

/** A chunk's own value; empty if it has none. */
function ownValue({ name, argument }: Value, place: Place, { separator, join }: Sources): string {
  const { chunk, previous, next } = place;
  switch (name) {
    case 'id':
      return textOf(chunk.document_id, '');
    case 'metadata':
      return textOf(memberOf(chunk.metadata, argument), ', ');
    case 'heading_path':
      return textOf(chunk.heading_path, separator);
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
  return list
    .filter((one) => ['string', 'number', 'boolean'].includes(typeof one) && one !== '')
    .join(separator);
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
function firstCharacters(text: string, most: number): string {
  return text.slice(0, startOfRest(text, most));
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

/** A template of lines, each of literal text and values. */
type Template = readonly (readonly Piece[])[];

/** Literal text, or a value. */
type Piece = string | Value;

/** A value in a template. */
interface Value {
  readonly name: ValueName;
  /** The part after the name: the path of a metadata member, or the maximum characters of a neighbour. */
  readonly argument: string;
}

const PLAIN_NAMES = ['title', 'id', 'heading_path', 'context'] as const;
const NEIGHBOURS = ['previous', 'next'] as const;
type ValueName = (typeof PLAIN_NAMES)[number] | (typeof NEIGHBOURS)[number] | 'metadata';

/** The values of templates, for messages. */
const KNOWN =
  '{title}, {id}, {heading_path}, {context}, {metadata.<name>}, {previous:<characters>} and {next:<characters>}';
const MOST_VALUES = 30;
const MOST_CHARACTERS = 2000;

/** Two braces are a literal one; a single brace begins or ends the name of a value. */
const TOKENS = /\{\{|\}\}|\{([^{}\n]*)\}|[{}]|[^{}]+/g;

/** Parses a template. @throws Error for callers that says what to change */
function readTemplate(text: string): Template {
  const readPiece = ([token, inner]: RegExpMatchArray): Piece =>
    inner === undefined ? readText(token as string) : readValue(inner);
  const lines = text.split(/\r?\n/).map((line) => Array.from(line.matchAll(TOKENS), readPiece));
  const values = lines.flat().filter((piece) => typeof piece === 'object').length;
  if (values <= MOST_VALUES) return lines;
  throw refusal(`expected at most ${MOST_VALUES} values in braces, got ${values}`);
}

const refusal = (problem: string): Error => refusedError(`template: ${problem}.`);

function readText(token: string): string {
  if (token === '{{' || token === '}}') return token.slice(1);
  if (token === '{') throw refusal('a { has no } on its line; write {{ for a literal brace');
  if (token === '}') throw refusal('a } has no { before it; write }} for a literal brace');
  return token;
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
    inner[mark] === ':' && /^[1-9]\d{0,3}$/.test(argument) && Number(argument) <= MOST_CHARACTERS;
  if (isCount) return { name: side, argument };
  throw refusal(
    `{${inner}}: expected a number of characters from 1 to ${MOST_CHARACTERS}, such as {${side}:200}`,
  );
}
