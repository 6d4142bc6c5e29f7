import { isBlankUnit, isDigit } from '../../../core/engine/cuts/lines.ts';
import { matchEnd } from '../../../core/engine/search.ts';
import {
  beginBreak,
  beginFence,
  beginHeading,
  beginHtml,
  beginRaw,
  beginTable,
  beginText,
  continueRaw,
  continueText,
  labelEnd,
  NOTE_LABEL,
  underline,
} from './leaves.ts';
import * as letters from './letters.ts';
import { CLOSE_PAREN, DASH, DOT, isBlank, PLUS, STAR } from './letters.ts';
import { type Begun, MAX_CONTAINERS, type MarkdownBlock, type OpenBlock, openBlock, Scan } from './scan.ts';

/**
 * Finds the blocks of CommonMark 0.31 in one pass over the lines. Also finds GFM's tables, footnotes and front
 * matter, math, and text that templates protect from Markdown. Ignores inline syntax. Three things differ from the
 * standards: a link definition has its label on one line, and its destination on the same or the next line.
 * Containers nest at most 32 deep. Table headers may have several rows.
 */
export function findMarkdownBlocks(text: string): readonly MarkdownBlock[] {
  const scan = new Scan(text);
  readFrontMatter(scan);
  while (scan.line.next < text.length) {
    scan.line.read();
    const matched = matchContainers(scan);
    const isWhole = matched === scan.open.length;
    if (isWhole && scan.leaf !== undefined && continueRaw(scan, scan.leaf)) continue;
    if (scan.line.isBlank) scan.closeTo(matched);
    else beginBlocks(scan, matched);
  }
  scan.closeTo(0);
  return scan.blocks;
}

/** Begins all blocks that the line opens, containers first. If there are none, continues a paragraph or table. */
function beginBlocks(scan: Scan, matched: number): void {
  const { line } = scan;
  let depth = matched;
  let isWhole = matched === scan.open.length;
  while (!line.isBlank) {
    const text = scan.openText;
    const isCode = line.indent >= 4;
    const begun =
      isCode || !isMark(line.unit) ? undefined : beginBlock(scan, depth, isWhole ? text : undefined);
    if (begun === 'leaf') return;
    if (begun === 'container') {
      depth = scan.open.length;
      isWhole = true;
      continue;
    }
    if (text !== undefined) continueText(scan, text);
    else if (isCode) scan.begin('indented', depth);
    else if (isWhole && scan.leaf?.kind === 'table') scan.extend(scan.leaf);
    else beginText(scan, depth);
    return;
  }
}

/** @param text the open paragraph that the line could continue; undefined if only by lazy continuation */
function beginBlock(scan: Scan, depth: number, text: OpenBlock | undefined): Begun | undefined {
  switch (scan.line.unit) {
    case letters.GREATER:
      return beginQuote(scan, depth);
    case letters.HASH:
      return beginHeading(scan, depth);
    case letters.TICK:
    case letters.TILDE:
      return beginFence(scan, depth);
    case letters.LESS:
      return beginHtml(scan, depth, text);
    case letters.OPEN:
      return beginFootnote(scan, depth);
    case letters.EQUAL:
      return underline(scan, text);
    case letters.PIPE:
    case letters.COLON:
      return beginTable(scan, text);
    case letters.UNDERSCORE:
      return beginBreak(scan, depth);
    case letters.DOLLAR:
    case letters.PERCENT:
    case letters.BACKSLASH:
    case letters.BRACE:
      return beginRaw(scan, depth);
    case letters.STAR:
      return beginBreak(scan, depth) ?? beginItem(scan, depth, text);
    case letters.DASH:
      return (
        underline(scan, text) ??
        beginBreak(scan, depth) ??
        beginItem(scan, depth, text) ??
        beginTable(scan, text)
      );
    default:
      return beginItem(scan, depth, text);
  }
}

const MARKS = Uint8Array.from({ length: 128 }, (_, unit) =>
  '>#`~<=-*_[|:+$%\\{0123456789'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

function isMark(unit: number): boolean {
  return unit < 128 && MARKS[unit] === 1;
}

function matchContainers({ line, open, blocks }: Scan): number {
  let matched = 0;
  for (; matched < open.length; matched++) {
    const container = open[matched] as OpenBlock;
    const { kind, width } = container;
    if (kind === 'list') continue;
    if (kind === 'quote') {
      if (!line.consumeQuote()) break;
    } else if (line.isBlank) {
      if (container === blocks.at(-1)) break;
    } else if (line.indent >= width) line.column += width;
    else break;
  }
  return matched;
}

function beginQuote(scan: Scan, depth: number): Begun | undefined {
  if (depth >= MAX_CONTAINERS) return undefined;
  scan.beginContainer('quote', depth);
  scan.line.consumeQuote();
  return 'container';
}

function beginFootnote(scan: Scan, depth: number): Begun | undefined {
  const { line, text } = scan;
  const behind = labelEnd(text, line.ink, line.end, NOTE_LABEL);
  if (behind === -1 || depth >= MAX_CONTAINERS) return undefined;
  scan.beginContainer('footnote', depth).width = 4;
  line.consume(behind - line.ink);
  line.column += line.indent;
  return 'container';
}

function beginItem(scan: Scan, depth: number, text: OpenBlock | undefined): Begun | undefined {
  const { line } = scan;
  const marker = markerLetters(scan);
  const behind = line.ink + marker;
  if (marker === 0 || (behind < line.end && !isBlankUnit(scan.units[behind] as number))) return undefined;
  if (depth >= MAX_CONTAINERS - 1 || (text !== undefined && !interruptsText(scan, marker))) return undefined;
  const mark = scan.units[behind - 1] as number;
  const offset = line.indent;
  const around = depth > 0 ? scan.open[depth - 1] : undefined;
  if (around?.kind !== 'list' || around.mark !== mark) scan.beginContainer('list', depth).mark = mark;
  else scan.closeTo(depth);
  const item = scan.beginContainer('item', scan.open.length);
  line.consume(marker);
  const gap = line.isBlank || line.indent > 4 ? 1 : line.indent;
  item.width = offset + marker + gap;
  if (!line.isBlank) line.column += gap;
  return 'container';
}

/** Length of the list marker: a bullet, or up to nine digits and a delimiter. 0 if the line has none. */
function markerLetters({ units, line: { ink, end, unit } }: Scan): number {
  if (unit === DASH || unit === STAR || unit === PLUS) return 1;
  let at = ink;
  while (at < end && at - ink < 10 && isDigit(units[at] as number)) at++;
  const digits = at - ink;
  const close = at < end ? units[at] : 0;
  return digits > 0 && digits < 10 && (close === DOT || close === CLOSE_PAREN) ? digits + 1 : 0;
}

/** Whether the item may follow a paragraph without a blank line: it is not empty, and its number, if any, is 1. */
function interruptsText({ text, units, line: { ink, end } }: Scan, marker: number): boolean {
  const isFirst = marker === 1 || /^0*1$/.test(text.slice(ink, ink + marker - 1));
  return isFirst && !isBlank(units, ink + marker, end);
}

const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\r|\n)/;
const FIRST = /[ \t]*(?:(#)|[^\s:=][^:=\r\n]*[:=])/y;
const EMPTY_LINE = /[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)/y;
/** A line with a YAML or TOML member. Names have at most two words; with more, the line would be a sentence. */
const MEMBER_LINE =
  /(?:["']?[\w.$-]+(?: [\w.$-]+)?["']?[ \t]*(?::(?=\s)|=)[^\r\n]*|\[+[\w.-]+\]+[ \t]*)(?:\r\n|\r|\n)/y;
/** A line that continues a member: indented, a list item, or a closing bracket. */
const INNER_LINE = /[ \t\-\]}][^\r\n]*(?:\r\n|\r|\n)/y;

/**
 * Reads front matter: metadata between lines of `---` or `+++` at the start of the text. It must begin with a member,
 * or with a comment if all further lines are metadata. Otherwise the comment could be a Markdown heading.
 */
function readFrontMatter({ text, line, blocks }: Scan): void {
  const open = OPENING.exec(text);
  if (open === null) return;
  const start = open[0].length;
  FIRST.lastIndex = start;
  const first = FIRST.exec(text);
  if (first === null) return;
  const close = open[1] === '---' ? /^(?:---|\.\.\.)[ \t]*$/gm : /^\+\+\+[ \t]*$/gm;
  close.lastIndex = start;
  const last = close.exec(text);
  if (last === null || (first[1] !== undefined && !isData(text, start, last.index))) return;
  while (line.next <= last.index) line.read();
  blocks.push(openBlock('front_matter', 0, line.next, 0, 0));
}

function isData(text: string, start: number, end: number): boolean {
  let hasMember = false;
  for (let at = start; at < end; ) {
    let next = matchEnd(EMPTY_LINE, text, at);
    if (next === -1 && hasMember) next = matchEnd(INNER_LINE, text, at);
    if (next === -1) {
      next = matchEnd(MEMBER_LINE, text, at);
      hasMember = true;
    }
    if (next === -1) return false;
    at = next;
  }
  return hasMember;
}
