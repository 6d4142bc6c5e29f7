import { firstWrongUnit, isNumber, type Problem } from './scalars.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  Tokens,
  WORD,
} from './tokens.ts';

/** What may come next: the values of a `switch`, which is as fast as scanning tokens. */
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_NAME = 2;
const NAME = 3;
const MEMBER_COLON = 4;
const NEXT_ELEMENT = 5;
const NEXT_MEMBER = 6;
const NEXT_RECORD = 7;

const EXPECTED = [
  'a value',
  'a value or ]',
  'a name in quotes or }',
  'a name in quotes',
  'a colon',
  'a comma or ]',
  'a comma or }',
  'another value on a new line, or the end of the text',
];

/** The first place where a text is not JSON by RFC 8259, nor a sequence of JSON values such as JSON Lines. */
export function findProblem(text: string): Problem | undefined {
  const tokens = new Tokens(text);
  const open: number[] = [];
  let state = VALUE;
  for (let before = 0, last = WORD; tokens.next(); before = tokens.end, last = tokens.kind) {
    if (state === NEXT_RECORD) {
      // Records must be separate, but brackets separate them as well as white space does.
      const isApart = tokens.start > before || (isCloser(last) && isOpener(tokens.kind));
      if (!isApart) return { offset: tokens.start, expected: EXPECTED[NEXT_RECORD] as string };
      state = VALUE;
    }
    const next = nextState(tokens.kind, state, open);
    if (next === undefined) return { offset: tokens.start, expected: EXPECTED[state] as string };
    const wrong = problemWithin(tokens, EXPECTED[state] as string);
    if (wrong !== undefined) return wrong;
    state = next;
  }
  return state === NEXT_RECORD ? undefined : { offset: text.length, expected: EXPECTED[state] as string };
}

/** What may follow a token; undefined if the token itself is not allowed there. */
function nextState(kind: number, state: number, open: number[]): number | undefined {
  switch (kind) {
    case OPEN_LIST:
    case OPEN_OBJECT:
      if (state > FIRST_ELEMENT) return undefined;
      open.push(kind);
      return kind === OPEN_LIST ? FIRST_ELEMENT : FIRST_NAME;
    case CLOSE_LIST:
      return state === FIRST_ELEMENT || state === NEXT_ELEMENT ? close(open) : undefined;
    case CLOSE_OBJECT:
      return state === FIRST_NAME || state === NEXT_MEMBER ? close(open) : undefined;
    case COMMA:
      if (state === NEXT_ELEMENT) return VALUE;
      return state === NEXT_MEMBER ? NAME : undefined;
    case COLON:
      return state === MEMBER_COLON ? VALUE : undefined;
    case QUOTE:
      if (state === FIRST_NAME || state === NAME) return MEMBER_COLON;
  }
  return state <= FIRST_ELEMENT ? behindValue(open) : undefined;
}

function close(open: number[]): number {
  open.pop();
  return behindValue(open);
}

function behindValue(open: readonly number[]): number {
  if (open.length === 0) return NEXT_RECORD;
  return open[open.length - 1] === OPEN_LIST ? NEXT_ELEMENT : NEXT_MEMBER;
}

function problemWithin({ text, kind, start, end }: Tokens, expected: string): Problem | undefined {
  if (kind === QUOTE) return firstWrongUnit(text, start, end);
  if (kind !== WORD || isNumber(text, start, end) || isLiteral(text, start, end)) return undefined;
  return { offset: start, expected };
}

function isLiteral(text: string, start: number, end: number): boolean {
  if (end - start === 5) return text.startsWith('false', start);
  return end - start === 4 && (text.startsWith('true', start) || text.startsWith('null', start));
}

function isOpener(kind: number): boolean {
  return kind === OPEN_LIST || kind === OPEN_OBJECT;
}

function isCloser(kind: number): boolean {
  return kind === CLOSE_LIST || kind === CLOSE_OBJECT;
}
