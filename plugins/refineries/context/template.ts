/** A template of lines, each of literal text and of values. */
export type Template = readonly TemplateLine[];

export type TemplateLine = readonly Piece[];

/** Text that stands as it is, or a value. */
export type Piece = string | Value;

/** What a template asks for. */
export interface Value {
  readonly name: ValueName;
  /** What stands behind the name: the path of a member of the metadata, or the most characters of a neighbour. */
  readonly argument: string;
}

const PLAIN_NAMES = ['title', 'id', 'heading_path', 'context'] as const;
const NEIGHBOURS = ['previous', 'next'] as const;
export type ValueName = (typeof PLAIN_NAMES)[number] | (typeof NEIGHBOURS)[number] | 'metadata';

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
export function readTemplate(text: string): Template | Problem {
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
  if (side === undefined) return { problem: `{${inner}} is no value; known are ${KNOWN}` };
  const isCount =
    inner[mark] === ':' && /^[1-9]\d{0,3}$/.test(argument) && Number(argument) <= MOST_CHARACTERS;
  if (isCount) return { name: side, argument };
  return { problem: `{${inner}}: expected characters from 1 to ${MOST_CHARACTERS}, such as {${side}:200}` };
}
