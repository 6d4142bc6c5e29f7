import type { Range } from 'web-tree-sitter';
import { isWhiteSpace, type Span } from '../../../core/kit.ts';
import { lineStartsOf, rangeOf } from './syntax.ts';

const WINDOW = 512;
/** Maximum distinct groups of three characters in a repetitive window. */
const MAX_GROUPS = 24;
/** Maximum commas in a repetitive window; more commas mean a table of numbers. */
const MAX_SEPARATORS = WINDOW / 32;
/** If at most this many characters of a part repeat themselves, the whole part is parsed. */
const MAX_PARSED = 8192;

/**
 * The ranges of a part around its long repetitions; undefined if the whole part can be parsed. Grammars need quadratic
 * time for repetitions, and the budget of steps does not limit this time.
 */
export function withoutRepetition(text: string, part: Span): Range[] | undefined {
  const repeated: Span[] = [];
  let characters = 0;
  for (let start = part.start; start < part.end; start += WINDOW) {
    const end = Math.min(start + WINDOW, part.end);
    if (!repeatsItself(text, start, end)) continue;
    characters += end - start;
    const last = repeated.at(-1);
    if (last?.end === start) repeated[repeated.length - 1] = { start: last.start, end };
    else repeated.push({ start, end });
  }
  return characters > MAX_PARSED ? rangesBetween(text, part, repeated) : undefined;
}

const seen = new Int32Array(1 << 12);
const seenNumbered = new Int32Array(1 << 12);
let current = 0;

function repeatsItself(text: string, start: number, end: number): boolean {
  current = (current + 1) | 0;
  return hasFewGroups(text, start, end) || hasFewNumberedGroups(text, start, end);
}

/** Whether a stretch has few distinct groups. A run of white space counts as one character. */
function hasFewGroups(text: string, start: number, end: number): boolean {
  let groups = 0;
  let hash = 0;
  let wasSpace = false;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const isSpace = isWhiteSpace(unit);
    if (isSpace && wasSpace) continue;
    wasSpace = isSpace;
    hash = ((hash << 4) ^ (isSpace ? 1 : unit & 0xff)) & 0xfff;
    if (seen[hash] === current) continue;
    seen[hash] = current;
    if (++groups > MAX_GROUPS) return false;
  }
  return true;
}

const ZERO = 0x30;
const NINE = 0x39;

/** Whether a stretch has few distinct groups if all numbers count as equal, as in `<a1><a2><a3>`. */
function hasFewNumberedGroups(text: string, start: number, end: number): boolean {
  let groups = 0;
  let separators = 0;
  let hash = 0;
  let last = -1;
  for (let at = start; at < end; at++) {
    const unit = kindOf(text.charCodeAt(at));
    if (unit === last && (unit === 1 || unit === ZERO)) continue;
    last = unit;
    if (unit === COMMA && ++separators > MAX_SEPARATORS) return false;
    hash = ((hash << 4) ^ unit) & 0xfff;
    if (seenNumbered[hash] === current) continue;
    seenNumbered[hash] = current;
    if (++groups > MAX_GROUPS) return false;
  }
  return true;
}

const COMMA = 0x2c;

function kindOf(unit: number): number {
  if (unit >= ZERO && unit <= NINE) return ZERO;
  return isWhiteSpace(unit) ? 1 : unit & 0xff;
}

function rangesBetween(text: string, part: Span, repeated: readonly Span[]): Range[] {
  const ranges: Range[] = [];
  const lineStarts = lineStartsOf(text);
  let start = part.start;
  for (const gap of [...repeated, { start: part.end, end: part.end }]) {
    if (gap.start > start) ranges.push(rangeOf(lineStarts, start, gap.start));
    start = gap.end;
  }
  return ranges;
}
