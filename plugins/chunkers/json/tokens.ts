import { isLineBreak, keepOptimised } from '../../../core/kit.ts';

export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPEN_LIST = 91;
export const BACKSLASH = 92;
export const CLOSE_LIST = 93;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;

/** A number, a name such as `true`, or invalid JSON. */
export const WORD = 0;

const TAB = 9;
const SPACE = 32;
const BYTE_ORDER_MARK = 0xfeff;
const MARKS = new Uint8Array(128);
for (const mark of [COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) MARKS[mark] = mark;

/** Reads the tokens of JSON. An unclosed string ends with its line. The fields describe the last token. */
export class Tokens {
  readonly text: string;
  /** The code unit of a punctuation mark; `QUOTE` for a string; otherwise `WORD`. */
  kind = WORD;
  start = 0;
  end = 0;

  constructor(text: string) {
    this.text = text;
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.end = 1;
  }

  next(): boolean {
    const { text } = this;
    let at = this.end;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    this.start = at;
    if (at >= text.length) {
      this.end = at;
      return false;
    }
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      this.kind = QUOTE;
      this.end = stringEnd(text, at + 1);
    } else if (isMark(unit)) {
      this.kind = unit;
      this.end = at + 1;
    } else {
      this.kind = WORD;
      this.end = wordEnd(text, at + 1);
    }
    return true;
  }
}

keepOptimised(new Tokens(''));

export function isOpener(kind: number): boolean {
  return kind === OPEN_LIST || kind === OPEN_OBJECT;
}

export function isCloser(kind: number): boolean {
  return kind === CLOSE_LIST || kind === CLOSE_OBJECT;
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === TAB || isLineBreak(unit);
}

function isMark(unit: number): boolean {
  return unit < 128 && MARKS[unit] !== 0;
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (isLineBreak(unit)) return at;
    if (unit === BACKSLASH && !isLineBreak(text.charCodeAt(at + 1))) at++;
  }
  return text.length;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || isMark(unit) || isSpace(unit)) break;
    at++;
  }
  return at;
}
