import { refusedError } from '../../../core/kit.ts';

/** A template of lines, each of literal text and values. */
export type Template = readonly (readonly Piece[])[];

/** Literal text, or alternatives for a value. */
export type Piece = string | readonly Value[];

/** A value in a template. */
export interface Value {
  readonly name: ValueName;
  /** The part after the name: the path of a metadata member, or the maximum characters of a neighbour; or empty. */
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

/** The values of templates, for messages. */
const KNOWN = `${PLAIN_NAMES.map((name) => `{${name}}`).join(', ')}, {metadata.<name>}, {previous:<characters>}, {next:<characters>} and alternatives such as {title|filename}`;
const MAX_VALUES = 30;
const MAX_CHARACTERS = 2000;

/** Two braces are a literal one; a single brace begins or ends the name of a value. */
const TOKENS = /\{\{|\}\}|\{([^{}\n]*)\}|[{}]|[^{}]+/g;

/** Parses a template. @throws Error for callers that says what to change */
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

/** Parses values separated by `|`. */
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
