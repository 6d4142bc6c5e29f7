import { isBlankUnit } from '../../../core/engine/cuts/lines.ts';

export const TAB = 9;
export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const HASH = 35;
export const DOLLAR = 36;
export const PERCENT = 37;
export const CLOSE_PAREN = 41;
export const STAR = 42;
export const PLUS = 43;
export const DASH = 45;
export const DOT = 46;
export const COLON = 58;
export const LESS = 60;
export const EQUAL = 61;
export const GREATER = 62;
export const OPEN = 91;
export const BACKSLASH = 92;
export const UNDERSCORE = 95;
export const TICK = 96;
export const BRACE = 123;
export const PIPE = 124;
export const TILDE = 126;
export const BOM = 0xfeff;

export function isBlank(units: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isBlankUnit(units[at] as number)) return false;
  return true;
}

export function runEnd(units: Uint16Array, start: number, end: number, unit: number): number {
  let at = start;
  while (at < end && units[at] === unit) at++;
  return at;
}
