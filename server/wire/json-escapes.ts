import type { JsonText } from './json-text.ts';

export const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** UTF-16 units of the code point that an escape begins: 2 for an escaped surrogate pair. */
export function escapedUnits(json: JsonText, at: number): 1 | 2 {
  if (json[at + 1] !== LOWER_U || (hexUnit(json, at + 2) & 0xfc00) !== 0xd800) return 1;
  const isPair =
    json[at + 6] === BACKSLASH && json[at + 7] === LOWER_U && (hexUnit(json, at + 8) & 0xfc00) === 0xdc00;
  return isPair ? 2 : 1;
}

/** Bytes of an escape, or of two that stand for a surrogate pair. */
export function escapeLength(json: JsonText, at: number, units: number): number {
  return json[at + 1] === LOWER_U ? 6 * units : 2;
}

/** UTF-8 bytes of the code point that an escape stands for; 3 for a lone surrogate. */
export function escapedBytes(json: JsonText, at: number, units: number): number {
  if (units === 2) return 4;
  const unit = json[at + 1] === LOWER_U ? hexUnit(json, at + 2) : 0;
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

function hexUnit(json: JsonText, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) unit = unit * 16 + hexDigit(json[index] as number);
  return unit;
}

function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}
