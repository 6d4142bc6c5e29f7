import { isBlankUnit, isLineBreak } from '../../../core/engine/cuts/lines.ts';
import { startOnLine } from '../lines.ts';
import { LABEL_ALONE, type OpenBlock, openBlock } from './block.ts';
import { closesHtml, htmlKindOf, NO_HTML, TAG_ALONE } from './html-blocks.ts';
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  EQUAL,
  GREATER,
  HASH,
  isBlank,
  LINE_FEED,
  OPEN,
  PIPE,
  runEnd,
  TICK,
} from './letters.ts';
import { RawBlocks } from './raw-blocks.ts';
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
    if (closesFence(scan, leaf)) scan.leaf = undefined;
    else if (leaf.depth === 0) passLines(scan, leaf);
    scan.extend(leaf);
    return true;
  }
  if (leaf.kind !== 'html' || (leaf.mark > 5 && isBlank)) return false;
  scan.extend(leaf);
  if (closesHtml(leaf.mark, scan.text, ink, end)) scan.leaf = undefined;
  return true;
}

function closesFence({ units, line: { indent, ink, end } }: Scan, { mark, width }: OpenBlock): boolean {
  const behind = runEnd(units, ink, end, mark);
  return indent < 4 && behind - ink >= width && isBlank(units, behind, end);
}

/** Passes the lines after the current one up to one that may close the fence: it begins with the same marker. */
function passLines({ text, units, line }: Scan, { mark }: OpenBlock): void {
  const marker = mark === TICK ? '```' : '~~~';
  for (let at = text.indexOf(marker, line.next); at !== -1; at = text.indexOf(marker, at + 1)) {
    const start = startOnLine(text, line.next, at);
    if (start === line.next || isLineBreak(units[start - 1] as number)) {
      line.next = start;
      return;
    }
  }
  line.next = text.length;
}

export function beginHeading(scan: Scan, depth: number): Begun | undefined {
  const { ink, end } = scan.line;
  const behind = runEnd(scan.units, ink, end, HASH);
  const level = behind - ink;
  if (level > 6 || (behind < end && !isBlankUnit(scan.units[behind] as number))) return undefined;
  scan.add('heading', depth).level = level;
  return 'leaf';
}

export function beginFence(scan: Scan, depth: number): Begun | undefined {
  const { ink, end, unit } = scan.line;
  const behind = runEnd(scan.units, ink, end, unit);
  if (behind - ink < 3) return undefined;
  if (unit === TICK && scan.text.slice(behind, end).includes('`')) return undefined;
  const fence = scan.begin('fence', depth);
  fence.width = behind - ink;
  fence.mark = unit;
  return 'leaf';
}

/** @param text the open text that the line could continue, unless that would be lazy */
export function beginHtml(scan: Scan, depth: number, text: OpenBlock | undefined): Begun | undefined {
  const { ink, end } = scan.line;
  const kind = htmlKindOf(scan.text, ink, end);
  const isLazy = scan.openText !== undefined && depth < scan.open.length;
  if (kind === NO_HTML || (kind === TAG_ALONE && (text !== undefined || isLazy))) return undefined;
  scan.begin('html', depth).mark = kind;
  if (closesHtml(kind, scan.text, ink, end)) scan.leaf = undefined;
  return 'leaf';
}

/** Begins math, and what templates keep from Markdown, outside of containers: all of its lines. */
export function beginRaw(scan: Scan, depth: number): Begun | undefined {
  // After the items of a list it is outside of it.
  if (depth > 1 || (depth === 1 && scan.open[0]?.kind !== 'list')) return undefined;
  const { text, units, line } = scan;
  scan.raw ??= new RawBlocks(text, units);
  const found = scan.raw.at(line.ink, line.end);
  if (found === undefined) return undefined;
  const block = scan.add(found.kind, depth);
  while (line.next <= found.end) line.read();
  scan.extend(block);
  return 'leaf';
}

export function beginBreak(scan: Scan, depth: number): Begun | undefined {
  const { ink, end, unit } = scan.line;
  let marks = 0;
  for (let at = ink; at < end; at++) {
    const next = scan.units[at] as number;
    if (next === unit) marks++;
    else if (!isBlankUnit(next)) return undefined;
  }
  if (marks < 3) return undefined;
  scan.add('break', depth);
  return 'leaf';
}

/** Turns the paragraph above a line of `=` or `-` into a heading. */
export function underline(scan: Scan, text: OpenBlock | undefined): Begun | undefined {
  const { ink, end, unit } = scan.line;
  const isLine = isBlank(scan.units, runEnd(scan.units, ink, end, unit), end);
  if (text?.kind !== 'paragraph' || !isLine) return undefined;
  text.kind = 'heading';
  text.level = unit === EQUAL ? 1 : 2;
  scan.extend(text);
  scan.leaf = undefined;
  return 'leaf';
}

/**
 * Turns the last lines of the paragraph above a delimiter row into a table: the last one, as GitHub does, and the rows
 * above it with as many cells, which are headers of several rows as other programs write them.
 */
export function beginTable(scan: Scan, text: OpenBlock | undefined): Begun | undefined {
  if (text?.kind !== 'paragraph') return undefined;
  const { ink, end, start, next } = scan.line;
  const columns = delimiterColumns(scan.text, ink, end);
  if (columns === 0 || columns !== cellsOf(scan, scan.lastInk, start)) return undefined;
  let table = text;
  const first = scan.lastLine > text.start ? headerStart(scan, text, columns) : text.start;
  if (first > text.start) {
    text.end = first;
    table = openBlock('table', first, next, text.depth, next);
    scan.follow(table);
  }
  table.kind = 'table';
  table.inner = next;
  scan.extend(table);
  return 'leaf';
}

/** Maximum rows of a header: more are the rows of a table without one. */
const MAX_HEADER_ROWS = 5;

/** Where the header begins whose last row is the last line of a paragraph. */
function headerStart(scan: Scan, paragraph: OpenBlock, columns: number): number {
  let first = scan.lastLine;
  for (let rows = 1; first > paragraph.start; rows++) {
    const start = lineBefore(scan, paragraph.start, first);
    if (!isRow(scan, start, first, start === paragraph.start ? paragraph.inner : start, columns))
      return first;
    if (rows === MAX_HEADER_ROWS) return scan.lastLine;
    first = start;
  }
  return first;
}

/** Where the line begins that ends at an offset, with its break. */
function lineBefore({ units }: Scan, floor: number, end: number): number {
  const isPair = units[end - 1] === LINE_FEED && units[end - 2] === CARRIAGE_RETURN;
  let at = end - (isPair ? 2 : 1);
  while (at > floor && !isLineBreak(units[at - 1] as number)) at--;
  return at;
}

/** Whether a line has this many cells, at least one of them by a pipe. */
function isRow(scan: Scan, start: number, end: number, inner: number, columns: number): boolean {
  const { units } = scan;
  let ink = Math.max(start, inner);
  while (ink < end && (isBlankUnit(units[ink] as number) || units[ink] === GREATER)) ink++;
  return scan.text.slice(ink, end).includes('|') && cellsOf(scan, ink, end) === columns;
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
  const isLabel = text.mark === LABEL_ALONE && scan.lastLine === text.start;
  addLine(scan, text);
  if (isLabel && isDestination(scan.text, ink, end)) text.kind = 'definition';
}

/** Checks whether the first line of a paragraph is a link definition. */
function readFirstLine(scan: Scan, paragraph: OpenBlock): void {
  const { ink, end, unit } = scan.line;
  addLine(scan, paragraph);
  if (unit !== OPEN) return;
  const behind = labelEnd(scan.text, ink, end, LINK_LABEL);
  if (behind === -1) return;
  if (isBlank(scan.units, behind, end)) paragraph.mark = LABEL_ALONE;
  else if (isDestination(scan.text, behind, end)) paragraph.kind = 'definition';
}

/** Maximum length of a label with its brackets and colon. */
const MAX_LABEL_LENGTH = 1002;
const LINK_LABEL = /^\[(?![ \t]*\])(?:[^[\]\\]|\\.)*\]:/s;
export const NOTE_LABEL = /^\[\^(?:[^[\]\\ \t]|\\[^ \t])+\]:/;

/** Where the text after `[label]:` begins; -1 if there is no such label. */
export function labelEnd(text: string, start: number, end: number, pattern: RegExp): number {
  const source = text.slice(start, Math.min(end, start + MAX_LABEL_LENGTH));
  // Most brackets begin a link.
  const label = source.includes(']:') ? pattern.exec(source)?.[0] : undefined;
  return label === undefined ? -1 : start + label.length;
}

const DESTINATION =
  /^[ \t]*(?:<(?:[^<>\\]|\\.)*>|[^\s<]\S*)(?:[ \t]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*$/;

/** Longest line that is read as the destination of a link. */
const MAX_DESTINATION_LENGTH = 4000;

/** Whether the rest of a line is the destination of a link, with an optional title. */
function isDestination(text: string, start: number, end: number): boolean {
  return end - start <= MAX_DESTINATION_LENGTH && DESTINATION.test(text.slice(start, end));
}

function addLine(scan: Scan, paragraph: OpenBlock): void {
  scan.lastLine = scan.line.start;
  scan.lastInk = scan.line.ink;
  scan.extend(paragraph);
}

/** A cell of a delimiter row, `| --- | :-: |`. */
const DASHES = /^[ \t]*:?-+:?[ \t]*$/;

/** Number of columns of a delimiter row; 0 if the stretch is not one. A pipe at either end adds none. */
function delimiterColumns(text: string, start: number, end: number): number {
  const row = text.slice(start, end);
  if (/[^-:| \t]/.test(row)) return 0;
  const cells = row.split('|');
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1)?.trim() === '') cells.pop();
  return cells.every((cell) => DASHES.test(cell)) ? cells.length : 0;
}

/** Number of cells of a row: the stretches between pipes. A pipe at either end adds none. */
function cellsOf({ text, units }: Scan, start: number, end: number): number {
  let to = end;
  while (to > start && /\s/.test(text[to - 1] as string)) to--;
  let cells = 1;
  for (let at = start; at < to; at++) {
    const unit = units[at];
    if (unit === BACKSLASH) at++;
    else if (unit === PIPE && at > start && at < to - 1) cells++;
  }
  return cells;
}
