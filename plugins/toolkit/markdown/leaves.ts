import { isBlankUnit, isLineBreak } from '../../../core/engine/cuts/lines.ts';
import { matchEnd } from '../../../core/engine/search.ts';
import { startOnLine } from '../lines.ts';
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
import { type Begun, LABEL_ALONE, type OpenBlock, openBlock, type Scan } from './scan.ts';

/** Adds the current line to a block of verbatim text. @returns whether the line belongs to the block */
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

export function beginHtml(scan: Scan, depth: number, text: OpenBlock | undefined): Begun | undefined {
  const { ink, end } = scan.line;
  const kind = htmlKindOf(scan.text, ink, end);
  const isLazy = scan.openText !== undefined && depth < scan.open.length;
  if (kind === NO_HTML || (kind === TAG_ALONE && (text !== undefined || isLazy))) return undefined;
  scan.begin('html', depth).mark = kind;
  if (closesHtml(kind, scan.text, ink, end)) scan.leaf = undefined;
  return 'leaf';
}

/** Reads a block of math, or of text that templates protect from Markdown. Ignores such blocks within containers. */
export function beginRaw(scan: Scan, depth: number): Begun | undefined {
  // Depth 1 in a list means a block directly after the list's items. Such a block ends the list.
  if (depth > 1 || (depth === 1 && scan.open[0]?.kind !== 'list')) return undefined;
  const { text, units, line } = scan;
  scan.raw ??= new RawBlocks(text, units);
  const raw = scan.raw.at(line.ink, line.end);
  if (raw === undefined) return undefined;
  const block = scan.add(raw.kind, depth);
  while (line.next <= raw.end) line.read();
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
 * Begins a table at a delimiter row. As on GitHub, the last line of the paragraph above becomes the header. Earlier
 * lines with the same number of cells join the header, because other programs write several header rows.
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

/** Maximum header rows above a delimiter row. With more, only the last row is taken as the header. */
const MAX_HEADER_ROWS = 5;

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

function lineBefore({ units }: Scan, floor: number, end: number): number {
  const isPair = units[end - 1] === LINE_FEED && units[end - 2] === CARRIAGE_RETURN;
  let at = end - (isPair ? 2 : 1);
  while (at > floor && !isLineBreak(units[at - 1] as number)) at--;
  return at;
}

function isRow(scan: Scan, start: number, end: number, inner: number, columns: number): boolean {
  const { units } = scan;
  let ink = Math.max(start, inner);
  while (ink < end && (isBlankUnit(units[ink] as number) || units[ink] === GREATER)) ink++;
  return scan.text.slice(ink, end).includes('|') && cellsOf(scan, ink, end) === columns;
}

export function beginText(scan: Scan, depth: number): void {
  readFirstLine(scan, scan.begin('paragraph', depth));
}

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

function readFirstLine(scan: Scan, paragraph: OpenBlock): void {
  const { ink, end, unit } = scan.line;
  addLine(scan, paragraph);
  if (unit !== OPEN) return;
  const behind = labelEnd(scan.text, ink, end, LINK_LABEL);
  if (behind === -1) return;
  if (isBlank(scan.units, behind, end)) paragraph.mark = LABEL_ALONE;
  else if (isDestination(scan.text, behind, end)) paragraph.kind = 'definition';
}

/** Maximum length of `[label]:`. The label itself has at most 999 characters. */
const MAX_LABEL_LENGTH = 1002;
const LINK_LABEL = /^\[(?![ \t]*\])(?:[^[\]\\]|\\.)*\]:/s;
export const NOTE_LABEL = /^\[\^(?:[^[\]\\ \t]|\\[^ \t])+\]:/;

/** The end of `[label]:` at `start`; -1 if there is no such label. */
export function labelEnd(text: string, start: number, end: number, pattern: RegExp): number {
  const source = text.slice(start, Math.min(end, start + MAX_LABEL_LENGTH));
  const label = source.includes(']:') ? pattern.exec(source)?.[0] : undefined;
  return label === undefined ? -1 : start + label.length;
}

const DESTINATION =
  /^[ \t]*(?:<(?:[^<>\\]|\\.)*>|[^\s<]\S*)(?:[ \t]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*$/;

const MAX_DESTINATION_LENGTH = 4000;

function isDestination(text: string, start: number, end: number): boolean {
  return end - start <= MAX_DESTINATION_LENGTH && DESTINATION.test(text.slice(start, end));
}

function addLine(scan: Scan, paragraph: OpenBlock): void {
  scan.lastLine = scan.line.start;
  scan.lastInk = scan.line.ink;
  scan.extend(paragraph);
}

const DASHES = /^[ \t]*:?-+:?[ \t]*$/;

/** The number of columns of a delimiter row; 0 for another line. Pipes at both ends add no column. */
function delimiterColumns(text: string, start: number, end: number): number {
  const row = text.slice(start, end);
  if (/[^-:| \t]/.test(row)) return 0;
  const cells = row.split('|');
  if (cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1)?.trim() === '') cells.pop();
  return cells.every((cell) => DASHES.test(cell)) ? cells.length : 0;
}

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

/** Kinds of HTML blocks. Kinds 1 to 7 are the start conditions of CommonMark. */
const NO_HTML = 0;
const TAG_ALONE = 7;

const BLOCKS =
  `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
  fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link
  main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead
  title tr track ul`.replace(/\s+/g, '|');

/** Start and end conditions of kinds 1 to 6. Without an end condition, a block ends before a blank line. */
const KINDS: readonly (readonly [opening: RegExp, closing?: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCKS})(?:\\s|/?>|$)`, 'i')],
];

function htmlKindOf(text: string, start: number, end: number): number {
  const line = text.slice(start, end);
  for (let kind = KINDS.length; kind > 0; kind--) if (KINDS[kind - 1]?.[0].test(line)) return kind;
  return isTagAlone(line) ? TAG_ALONE : NO_HTML;
}

function closesHtml(kind: number, text: string, start: number, end: number): boolean {
  return KINDS[kind - 1]?.[1]?.test(text.slice(start, end)) ?? false;
}

const CLOSING_TAG = /^<\/[a-z][a-z0-9-]*[ \t]*>[ \t]*$/i;
const TAG_START = /<[a-z][a-z0-9-]*/iy;
const ATTRIBUTE = /[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'=<>`]+))?/iy;
const TAG_END = /[ \t]*\/?>[ \t]*$/y;

/** Whether a line is one complete tag and nothing else. A single pattern for this could overflow the stack. */
function isTagAlone(line: string): boolean {
  if (CLOSING_TAG.test(line)) return true;
  let at = matchEnd(TAG_START, line, 0);
  if (at === -1) return false;
  for (let next = at; next !== -1; next = matchEnd(ATTRIBUTE, line, at)) at = next;
  return matchEnd(TAG_END, line, at) !== -1;
}
