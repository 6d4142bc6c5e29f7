import { type CutFinder, cutAtDelimiters, cutAtWhiteSpace, type Span } from '../../../core/kit.ts';
import { closesAt } from './pieces.ts';

/** Finders of line ends, and of what is left where a line is above the limit. */
export const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);

/** Cuts at lines, but neither after a line that opens a block nor before one that closes it. */
const cutBetweenBlocks: CutFinder = (text, start, end) => {
  const cuts: number[] = [];
  let outer = Number.POSITIVE_INFINITY;
  for (const line of [start, ...cutAtLines(text, start, end)]) {
    const at = endOfIndentation(text, line, end);
    if (at === end || isLineBreak(text, at)) continue;
    if (line > start && at - line <= outer && !closesAt(text, at)) cuts.push(line);
    outer = at - line;
  }
  return cuts;
};

/** The levels at which code is cut below its syntax. */
export const LINE_LEVELS: readonly CutFinder[] = [cutBetweenBlocks, cutAtLines, cutAtWhiteSpace];

const HASH = '#';

/** Whether a cut parts a line that opens a block, by its indentation, from the next one, or one that closes a block. */
export function tearsBlock(text: string, cut: number): boolean {
  if (!isLineBreak(text, cut - 1)) return false;
  const at = endOfIndentation(text, cut, text.length);
  if (closesAt(text, at)) return true;
  let end = cut;
  while (end > 0 && isBlank(text, end - 1)) end--;
  const start = startOfLine(text, end);
  const opening = endOfIndentation(text, start, end);
  return opening - start < at - cut && text[opening] !== HASH;
}

function isBlank(text: string, at: number): boolean {
  return isLineBreak(text, at) || isIndentation(text, at);
}

function isIndentation(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

function endOfIndentation(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isIndentation(text, at)) at++;
  return at;
}

export function isLineBreak(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r';
}

/** Where the line of an offset begins. */
export function startOfLine(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && !isLineBreak(text, start - 1)) start--;
  return start;
}

/** The line that contains an offset, with its line breaks. */
export function lineAround(text: string, offset: number): Span {
  const start = startOfLine(text, offset);
  let end = offset;
  while (end < text.length && !isLineBreak(text, end)) end++;
  while (end < text.length && isLineBreak(text, end)) end++;
  return { start, end };
}
