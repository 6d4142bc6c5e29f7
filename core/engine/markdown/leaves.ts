import { LABEL_ALONE, type OpenBlock, openBlock } from './block.ts';
import { isDestination, labelEnd } from './definitions.ts';
import { closesHtml, htmlKindOf, NO_HTML, TAG_ALONE } from './html-blocks.ts';
import {
  BACKSLASH,
  COLON,
  DASH,
  EQUAL,
  HASH,
  isBlank,
  isSpace,
  OPEN,
  PIPE,
  runEnd,
  TICK,
} from './letters.ts';
import type { Begun, Scan } from './scan.ts';

/** Whether the current line belongs to a leaf that takes lines verbatim. */
export function continueRaw(scan: Scan, leaf: OpenBlock): boolean {
  const { isBlank, indent, ink, end } = scan.line;
  if (leaf.kind === 'indented') {
    if (isBlank) return true;
    if (indent < 4) return false;
    scan.extend(leaf);
    return true;
  }
  if (leaf.kind === 'fence') {
    scan.extend(leaf);
    if (closesFence(scan, leaf)) scan.leaf = undefined;
    return true;
  }
  if (leaf.kind !== 'html' || (leaf.mark > 5 && isBlank)) return false;
  scan.extend(leaf);
  if (closesHtml(leaf.mark, scan.text, ink, end)) scan.leaf = undefined;
  return true;
}

function closesFence({ text, line: { indent, ink, end } }: Scan, { mark, width }: OpenBlock): boolean {
  const behind = runEnd(text, ink, end, mark);
  return indent < 4 && behind - ink >= width && isBlank(text, behind, end);
}

export function beginHeading(scan: Scan, depth: number): Begun {
  const { ink, end } = scan.line;
  const behind = runEnd(scan.text, ink, end, HASH);
  const level = behind - ink;
  if (level > 6 || (behind < end && !isSpace(scan.text.charCodeAt(behind)))) return 'nothing';
  scan.beginLine('heading', depth).level = level;
  return 'leaf';
}

export function beginFence(scan: Scan, depth: number): Begun {
  const { ink, end, unit } = scan.line;
  const behind = runEnd(scan.text, ink, end, unit);
  if (behind - ink < 3) return 'nothing';
  if (unit === TICK && scan.text.slice(behind, end).includes('`')) return 'nothing';
  const fence = scan.begin('fence', depth);
  fence.width = behind - ink;
  fence.mark = unit;
  return 'leaf';
}

/** @param text the open text that the line could continue, unless that would be lazy */
export function beginHtml(scan: Scan, depth: number, text: OpenBlock | undefined): Begun {
  const { ink, end } = scan.line;
  const kind = htmlKindOf(scan.text, ink, end);
  const isLazy = scan.openText !== undefined && depth < scan.open.length;
  if (kind === NO_HTML || (kind === TAG_ALONE && (text !== undefined || isLazy))) return 'nothing';
  scan.begin('html', depth).mark = kind;
  if (closesHtml(kind, scan.text, ink, end)) scan.leaf = undefined;
  return 'leaf';
}

export function beginBreak(scan: Scan, depth: number): Begun {
  const { ink, end, unit } = scan.line;
  let marks = 0;
  for (let at = ink; at < end; at++) {
    const next = scan.text.charCodeAt(at);
    if (next === unit) marks++;
    else if (!isSpace(next)) return 'nothing';
  }
  if (marks < 3) return 'nothing';
  scan.beginLine('break', depth);
  return 'leaf';
}

/** Turns the paragraph above a line of `=` or `-` into a heading. */
export function underline(scan: Scan, text: OpenBlock | undefined): Begun {
  const { ink, end, unit } = scan.line;
  const isLine = isBlank(scan.text, runEnd(scan.text, ink, end, unit), end);
  if (text?.kind !== 'paragraph' || !isLine) return 'nothing';
  text.kind = 'heading';
  text.level = unit === EQUAL ? 1 : 2;
  scan.extend(text);
  scan.leaf = undefined;
  return 'leaf';
}

/** Turns the last line of the paragraph above a delimiter row into a table. */
export function beginTable(scan: Scan, text: OpenBlock | undefined): Begun {
  if (text?.kind !== 'paragraph') return 'nothing';
  const { ink, end, start, next } = scan.line;
  const columns = delimiterColumns(scan.text, ink, end);
  if (columns === 0 || columns !== cellsOf(scan.text, text.lastInk, start)) return 'nothing';
  let table = text;
  if (text.lastLine > text.start) {
    text.end = text.lastLine;
    table = openBlock('table', text.lastLine, next, text.depth, next);
    scan.follow(table);
  }
  table.kind = 'table';
  table.inner = next;
  scan.extend(table);
  return 'leaf';
}

/** Begins a paragraph, or a link definition. */
export function beginText(scan: Scan, depth: number): void {
  readFirstLine(scan, scan.begin('paragraph', depth));
}

/** Continues a paragraph, or the text after a link definition, which is a paragraph of its own. */
export function continueText(scan: Scan, text: OpenBlock): void {
  const { start, next, ink, end } = scan.line;
  if (text.kind === 'definition') {
    const paragraph = openBlock('paragraph', start, next, text.depth, ink);
    scan.follow(paragraph);
    readFirstLine(scan, paragraph);
    return;
  }
  const isLabel = text.mark === LABEL_ALONE && text.lastLine === text.start;
  addLine(scan, text);
  if (isLabel && isDestination(scan.text, ink, end)) text.kind = 'definition';
}

/** Checks whether the first line of a paragraph is a link definition. */
function readFirstLine(scan: Scan, paragraph: OpenBlock): void {
  const { ink, end, unit } = scan.line;
  addLine(scan, paragraph);
  if (unit !== OPEN) return;
  const behind = labelEnd(scan.text, ink, end);
  if (behind === -1) return;
  if (isBlank(scan.text, behind, end)) paragraph.mark = LABEL_ALONE;
  else if (isDestination(scan.text, behind, end)) paragraph.kind = 'definition';
}

function addLine(scan: Scan, paragraph: OpenBlock): void {
  paragraph.lastLine = scan.line.start;
  paragraph.lastInk = scan.line.ink;
  scan.extend(paragraph);
}

/** Number of columns of a delimiter row, `| --- | :-: |`; 0 if the stretch is not one. */
function delimiterColumns(text: string, start: number, end: number): number {
  let columns = 0;
  let pipes = 0;
  let state: Cell = EMPTY;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === DASH && state <= DASHES) {
      if (state < DASHES) columns++;
      state = DASHES;
    } else if (unit === COLON && (state === EMPTY || state === DASHES))
      state = state === EMPTY ? COLONED : CLOSED;
    else if (isSpace(unit) && state !== COLONED) state = state === EMPTY ? EMPTY : CLOSED;
    else if (unit === PIPE && state !== COLONED && (state >= DASHES || pipes === 0)) {
      pipes++;
      state = EMPTY;
    } else return 0;
  }
  return state === COLONED ? 0 : columns;
}

/** How much of a delimiter's cell is read. */
type Cell = 0 | 1 | 2 | 3;
const EMPTY = 0;
const COLONED = 1;
const DASHES = 2;
const CLOSED = 3;

/** Number of cells of a row: the stretches between pipes. A pipe at either end adds none. */
function cellsOf(text: string, start: number, end: number): number {
  let to = end;
  while (to > start && /\s/.test(text[to - 1] as string)) to--;
  let cells = 1;
  for (let at = start; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === PIPE && at > start && at < to - 1) cells++;
  }
  return cells;
}
