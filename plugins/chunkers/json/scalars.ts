import { BACKSLASH, QUOTE } from './tokens.ts';

/** Where a text stops being JSON, and what would be valid there. */
export interface Problem {
  readonly offset: number;
  readonly expected: string;
}

const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const SMALL_E = 101;
const SMALL_U = 117;
const SPACE = 32;
const ESCAPED = '"\\/bfnrtu';
/** A bit that a capital letter lacks. */
const SMALL = 32;

/** The problem within a string that begins and should end with a quote; nothing if it is valid by RFC 8259. */
export function firstWrongUnit(text: string, start: number, end: number): Problem | undefined {
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return undefined;
    if (unit < SPACE) return { offset: at, expected: 'an escape such as \\n instead of a control character' };
    if (unit !== BACKSLASH) continue;
    at++;
    if (at >= end) break;
    if (!ESCAPED.includes(text.charAt(at)))
      return { offset: at, expected: 'one of " \\ / b f n r t u after the backslash' };
    if (text.charCodeAt(at) !== SMALL_U) continue;
    const hex = hexEnd(text, at + 1);
    if (hex < at + 5) return { offset: hex, expected: 'four hexadecimal digits after \\u' };
    at += 4;
  }
  return { offset: end, expected: 'a quote that ends the string' };
}

/** Where hexadecimal digits end, of which at most four count. */
function hexEnd(text: string, from: number): number {
  let at = from;
  while (at < from + 4 && isHex(text.charCodeAt(at))) at++;
  return at;
}

function isHex(unit: number): boolean {
  const small = unit | SMALL;
  return isDigit(unit) || (small >= 97 && small <= 102);
}

/** Whether a stretch is a number by RFC 8259. */
export function isNumber(text: string, start: number, end: number): boolean {
  const whole = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let at = digitsEnd(text, whole, end);
  if (at === whole || (text.charCodeAt(whole) === ZERO && at > whole + 1)) return false;
  if (at < end && text.charCodeAt(at) === DOT) {
    const fraction = at + 1;
    at = digitsEnd(text, fraction, end);
    if (at === fraction) return false;
  }
  if (at < end && (text.charCodeAt(at) | SMALL) === SMALL_E) {
    const sign = text.charCodeAt(at + 1);
    const exponent = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    at = digitsEnd(text, exponent, end);
    if (at === exponent) return false;
  }
  return at === end;
}

function digitsEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 57;
}

/** The units of the escape that begins with a backslash: two `\u` for one character count as one. */
export function escapeLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== SMALL_U) return 2;
  const isPair = isSurrogate(text, at, '89ab') && isSurrogate(text, at + 6, 'cdef');
  return isPair ? 12 : 6;
}

/** Whether an escape is half of a surrogate pair, by its second digit. */
function isSurrogate(text: string, at: number, digits: string): boolean {
  const first = text.slice(at, at + 3).toLowerCase();
  const second = text.charAt(at + 3).toLowerCase();
  return first === '\\ud' && second !== '' && digits.includes(second);
}
