import type { CutFinder } from '../../contracts/chunker.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';
import { countUpTo } from '../search.ts';

export const cutAtWhiteSpace: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  let wasWhiteSpace = false;
  for (let at = start; at < end; at++) {
    const isNow = isWhiteSpace(text.charCodeAt(at));
    if (wasWhiteSpace && !isNow) cuts.push(at);
    wasWhiteSpace = isNow;
  }
  return cuts;
};

export const cutAtCodePoints: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  for (let at = start + 1; at < end; at++) if (!splitsCodePoint(text, at)) cuts.push(at);
  return cuts;
};

export function cutAtOffsets(offsets: ArrayLike<number>): CutFinder {
  return (text, start, end) => cutsWithin(offsets, text, start, end);
}

function cutsWithin(offsets: ArrayLike<number>, text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  for (let index = countUpTo(offsets, start); index < offsets.length; index++) {
    const offset = offsets[index] as number;
    if (offset >= end) break;
    if (offset !== cuts.at(-1)) addCut(cuts, text, offset, start, end);
  }
  return cuts;
}

export function cutAtTokens(tokens: TokenizedText): CutFinder {
  return (text, start, end) => cutsWithin(tokens.endsWithin?.(start, end) ?? tokens.ends(), text, start, end);
}

/** Whether `text.slice(start, end)` has fewer than `minimum` code points. Stops reading when the answer is known. */
export function isShorter(text: string, start: number, end: number, minimum: number): boolean {
  // The text is shorter if more than `spare` units are low surrogates. At most every second unit can be one.
  let spare = end - start - minimum;
  if (spare < 0) return true;
  for (let at = start + 1; 2 * spare < end - at; at++) {
    if (splitsCodePoint(text, at) && --spare < 0) return true;
  }
  return false;
}

/** Whether a UTF-16 unit is Unicode white space. White space never needs two units. */
export function isWhiteSpace(unit: number): boolean {
  if (unit < 0x85) return unit === 32 || (unit >= 9 && unit <= 13);
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Adds a cut, except at `start`, at `end` or inside a code point. */
export function addCut(cuts: number[], text: string, cut: number, start: number, end: number): void {
  if (cut > start && cut < end && !splitsCodePoint(text, cut)) cuts.push(cut);
}

/** Whether the text is empty or only Unicode white space. A blank text gives no chunks. */
export function isBlank(text: string): boolean {
  return !/\P{White_Space}/u.test(text);
}

export function splitsCodePoint(text: string, offset: number): boolean {
  return (
    offset > 0 &&
    offset < text.length &&
    (text.charCodeAt(offset) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800
  );
}

/** The code point at an offset, or a lone surrogate. `codePointAt` may read past the end of a sliced string. */
export function pointAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return splitsCodePoint(text, at + 1) ? joined(unit, text.charCodeAt(at + 1)) : unit;
}

export function pointBefore(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return splitsCodePoint(text, end - 1) ? joined(text.charCodeAt(end - 2), unit) : unit;
}

function joined(high: number, low: number): number {
  return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

/** The number of code points of `text.slice(start, end)`; a lone surrogate counts as one. */
export function countCodePoints(text: string, start: number, end: number): number {
  let points = end - start;
  for (let at = start + 1; at < end; at++) if (splitsCodePoint(text, at)) points--;
  return points;
}

/**
 * The text from which a chunk's vector, hash and size are computed: the context, if any, and the text.
 *
 * @param context the chunk's `context`; only a string counts
 */
export function embeddedText(text: string, context: unknown): string {
  return typeof context === 'string' && context !== '' ? `${context}\n${text}` : text;
}
