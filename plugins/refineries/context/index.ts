import type { Chunk, Collaborators, DocumentInfo, Refinery, RefineTools } from '../../../core/kit.ts';
import type { ContextOptions } from './manifest.ts';

export default function createContextRefinery({ kit }: Collaborators): Refinery<ContextOptions> {
  return {
    refine(chunks, { template, separator, max_length }, { document, join, signal }) {
      const read = readTemplate(template);
      if ('problem' in read) {
        throw kit.refusedError(`template: ${read.problem}.`);
      }
      const fill = fillerOf(read, { document, separator, join }, max_length);
      return chunks.map((chunk, index) => {
        signal.throwIfAborted();
        const context = fill({ chunk, previous: chunks[index - 1], next: chunks[index + 1] });
        return { ...chunk, context: context === '' ? null : context };
      });
    },
  };
}

/** Makes the text of a place by a template; empty if the template has values and all of them are empty. */
type Fill = (place: Place) => string;

/**
 * Prepares a template for the chunks of one document. A line whose values are all empty is left out.
 *
 * @param most characters of the text; what is over is cut off
 */
function fillerOf(template: Template, sources: Sources, most: number): Fill {
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
      // A character has at most two units: more of them would be cut off.
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

/** What is the same for all chunks is made once. */
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
  /** What stands between headings. */
  readonly separator: string;
  readonly join: RefineTools['join'];
}

/** A value that is the same for all chunks of the document; `undefined` for one that is not. */
function sharedValue({ name, argument }: Value, { title, id, metadata }: DocumentInfo): string | undefined {
  if (name === 'title') return title ?? '';
  if (name === 'id') return id;
  return name === 'metadata' && metadata !== undefined
    ? textOf(memberOf(metadata, argument), ', ')
    : undefined;
}

/** A value that is the chunk's own; empty if it has none. */
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
      // Joined, so that what the two repeat of each other is left out.
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

/** The text of a string, a number or a truth value, or of a list of them; anything else has none. */
function textOf(value: unknown, separator: string): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => ['string', 'number', 'boolean'].includes(typeof one) && one !== '')
    .join(separator);
}

/** The member at a path of names with dots between them. */
function memberOf(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner, name) ? inner[name] : undefined), value);
}

function isObject(value: unknown, member: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}

/** At most so many characters from the start of a text: whole words, if it has white space among them. */
function firstWords(text: string, most: number): string {
  const trimmed = text.trimStart();
  const end = startOfRest(trimmed, most);
  if (end === trimmed.length || isSpace(trimmed, end)) return trimmed.slice(0, end).trimEnd();
  let cut = end;
  while (cut > 0 && !isSpace(trimmed, cut - 1)) cut--;
  return trimmed.slice(0, cut || end).trimEnd();
}

/** At most so many characters from the end of a text: whole words, if it has white space among them. */
function lastWords(text: string, most: number): string {
  const trimmed = text.trimEnd();
  let start = trimmed.length;
  for (let count = 0; count < most && start > 0; count++) start -= isPair(trimmed, start - 2) ? 2 : 1;
  if (start === 0 || isSpace(trimmed, start - 1)) return trimmed.slice(start).trimStart();
  let cut = start;
  while (cut < trimmed.length && !isSpace(trimmed, cut)) cut++;
  return trimmed.slice(cut === trimmed.length ? start : cut).trimStart();
}

/** At most so many characters from the start of a text. */
function firstCharacters(text: string, most: number): string {
  return text.slice(0, startOfRest(text, most));
}

function startOfRest(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let at = 0;
  for (let count = 0; count < most && at < text.length; count++) at += isPair(text, at) ? 2 : 1;
  return at;
}

/** Whether the two halves of one character begin at `at`. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

function isSpace(text: string, at: number): boolean {
  return text.charAt(at).trim() === '';
}

/** A template of lines, each of literal text and of values. */
type Template = readonly TemplateLine[];

type TemplateLine = readonly Piece[];

/** Text that stands as it is, or a value. */
type Piece = string | Value;

/** What a template asks for. */
interface Value {
  readonly name: ValueName;
  /** What stands behind the name: the path of a member of the metadata, or the most characters of a neighbour. */
  readonly argument: string;
}

const PLAIN_NAMES = ['title', 'id', 'heading_path', 'context'] as const;
const NEIGHBOURS = ['previous', 'next'] as const;
type ValueName = (typeof PLAIN_NAMES)[number] | (typeof NEIGHBOURS)[number] | 'metadata';

/** What a template can ask for, for messages. */
const KNOWN =
  '{title}, {id}, {heading_path}, {context}, {metadata.<name>}, {previous:<characters>} and {next:<characters>}';
const MOST_VALUES = 30;
const MOST_CHARACTERS = 2000;

/** Two braces are one of the text, else a brace begins or ends the name of a value. */
const TOKENS = /\{\{|\}\}|\{([^{}\n]*)\}|[{}]|[^{}]+/g;

interface Problem {
  readonly problem: string;
}

/**
 * Reads a template.
 *
 * @returns the template, or what is wrong with it and what to change
 */
function readTemplate(text: string): Template | Problem {
  const lines: TemplateLine[] = [];
  let values = 0;
  for (const line of text.split(/\r?\n/)) {
    const pieces: Piece[] = [];
    for (const [token, inner] of line.matchAll(TOKENS)) {
      const piece = inner === undefined ? readText(token) : readValue(inner);
      if (typeof piece === 'object' && 'problem' in piece) return piece;
      if (typeof piece === 'object') values++;
      pieces.push(piece);
    }
    lines.push(pieces);
  }
  if (values <= MOST_VALUES) return lines;
  return { problem: `expected at most ${MOST_VALUES} values in braces, got ${values}` };
}

function readText(token: string): string | Problem {
  if (token === '{{' || token === '}}') return token.slice(1);
  if (token === '{') return { problem: 'a { has no } in its line; write {{ for a brace of the text' };
  if (token === '}') return { problem: 'a } has no { before it; write }} for a brace of the text' };
  return token;
}

function readValue(inner: string): Value | Problem {
  const plain = PLAIN_NAMES.find((name) => name === inner);
  if (plain !== undefined) return { name: plain, argument: '' };
  const mark = inner.search(/[.:]/);
  const [head, argument] = mark === -1 ? [inner, ''] : [inner.slice(0, mark), inner.slice(mark + 1)];
  if (head === 'metadata' && inner[mark] === '.' && argument !== '') return { name: head, argument };
  const side = NEIGHBOURS.find((name) => name === head);
  if (side === undefined) return { problem: `{${inner}} is not a known value; available: ${KNOWN}` };
  const isCount =
    inner[mark] === ':' && /^[1-9]\d{0,3}$/.test(argument) && Number(argument) <= MOST_CHARACTERS;
  if (isCount) return { name: side, argument };
  return { problem: `{${inner}}: expected characters from 1 to ${MOST_CHARACTERS}, such as {${side}:200}` };
}
