import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isCloser,
  isOpener,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  Tokens,
  WORD,
} from './tokens.ts';

export interface Problem {
  readonly offset: number;
  readonly expected: string;
}

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

/** Finds where a text stops being JSON (RFC 8259) or consecutive JSON values, such as JSON Lines. */
export function findProblem(text: string): Problem | undefined {
  const tokens = new Tokens(text);
  const open: number[] = [];
  let state = VALUE;
  for (let before = 0, last = WORD; tokens.next(); before = tokens.end, last = tokens.kind) {
    if (state === NEXT_RECORD) {
      // Consecutive values need white space or brackets between them.
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
  if (kind !== WORD) return undefined;
  SCALAR.lastIndex = start;
  const isValid = SCALAR.test(text) && SCALAR.lastIndex === end;
  return isValid ? undefined : { offset: start, expected };
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const SPACE = 32;
const ESCAPED = '"\\/bfnrtu';
const HEX = /[\da-fA-F]{0,4}/y;

function firstWrongUnit(text: string, start: number, end: number): Problem | undefined {
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return undefined;
    if (unit < SPACE) return { offset: at, expected: 'an escape such as \\n instead of a control character' };
    if (unit !== BACKSLASH) continue;
    at++;
    if (at >= end) break;
    if (!ESCAPED.includes(text.charAt(at)))
      return { offset: at, expected: 'one of " \\ / b f n r t u after the backslash' };
    if (text.charAt(at) !== 'u') continue;
    HEX.lastIndex = at + 1;
    HEX.test(text);
    if (HEX.lastIndex < at + 5)
      return { offset: HEX.lastIndex, expected: 'four hexadecimal digits after \\u' };
    at += 4;
  }
  return { offset: end, expected: 'a quote that ends the string' };
}
