import { type CutFinder, cutAtDelimiters, cutAtWhiteSpace, type Span } from '../../../core/kit.ts';

export const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);

/** Cuts between lines, but neither after a line that opens a block nor before a line that closes a block. */
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

/** Cut finders for code without syntax nodes to cut between, best first. */
export const LINE_LEVELS: readonly CutFinder[] = [cutBetweenBlocks, cutAtLines, cutAtWhiteSpace];

const HASH = '#';

/** Whether a cut separates a block from its opening line (which is less indented) or from its closing line. */
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

export function isIndentation(text: string, at: number): boolean {
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

export function startOfLine(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && !isLineBreak(text, start - 1)) start--;
  return start;
}

export function lineAround(text: string, offset: number): Span {
  const start = startOfLine(text, offset);
  let end = offset;
  while (end < text.length && !isLineBreak(text, end)) end++;
  while (end < text.length && isLineBreak(text, end)) end++;
  return { start, end };
}

const BYTE_ORDER_MARK = '\ufeff';

/** The start of an offset's line, if only white space or a byte order mark precedes the offset. */
export function lineStart(text: string, offset: number): number | undefined {
  let at = offset;
  while (at > 0 && isIndentation(text, at - 1)) at--;
  if (at === 1 && text[0] === BYTE_ORDER_MARK) return 0;
  return at === 0 || isLineBreak(text, at - 1) ? at : undefined;
}

const CLOSING = /[)\]}]|(?:end|fi|done|esac)\b/iy;

/** Whether the text at an offset closes a block: with a bracket, `end` or the like. */
export function closesAt(text: string, at: number): boolean {
  CLOSING.lastIndex = at;
  return CLOSING.test(text);
}
