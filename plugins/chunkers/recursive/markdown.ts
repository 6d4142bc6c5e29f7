/** Where a Markdown text can be cut: rising offsets of the starts of lines, found in one pass. */
export interface MarkdownCuts {
  /** Before headings, both kinds, and how deep they are. A `#` in a fence is none. */
  readonly headings: readonly Heading[];
  /** Before blocks: headings, paragraphs, lists, tables, rules, and fences as a whole. */
  readonly blocks: readonly number[];
  /**
   * Within blocks, before items of lists, lines of quotes, rows of tables and lines of fences; the first line of a
   * fence stays with its opening, the last with its closing, and the head of a table with its rule.
   */
  readonly lines: readonly number[];
}

export interface Heading {
  readonly at: number;
  /** From 1 to 6. */
  readonly depth: number;
}

type Block = 'none' | 'paragraph' | 'list' | 'table' | 'fence';

/** The pass over a text, as far as it has come. */
interface Scan {
  readonly headings: Heading[];
  readonly blocks: number[];
  readonly lines: number[];
  /** What the line before belongs to; `none` behind a heading, a rule or the end of a fence. */
  block: Block;
  isAfterBlank: boolean;
  /** Whether deeper lines may belong to an item of a list. */
  isInList: boolean;
  /** The run of characters that opened the fence. */
  fence: string;
  /** Whether the line before opened the fence. */
  isFirst: boolean;
  /** Whether the line before closed a fence. */
  isBehindFence: boolean;
}

const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const TABLE_RULE = /^[ \t]*\|[ \t|:-]*$/;

export function findMarkdownCuts(text: string): MarkdownCuts {
  const scan: Scan = {
    headings: [],
    blocks: [],
    lines: [],
    block: 'none',
    isAfterBlank: true,
    isInList: false,
    fence: '',
    isFirst: false,
    isBehindFence: false,
  };
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, text.charAt(end - 1) === '\r' ? Math.max(end - 1, start) : end);
    if (scan.block === 'fence') readFenceLine(scan, line, start);
    else if (line.trim() === '') readBlank(scan, start);
    else readLine(scan, line, start);
    start = end + 1;
  }
  return scan;
}

/** A fence that fits only without the blank lines behind it is cut from them. */
function readBlank(scan: Scan, start: number): void {
  if (scan.isBehindFence) scan.lines.push(start);
  scan.isBehindFence = false;
  scan.isAfterBlank = true;
}

function readFenceLine(scan: Scan, line: string, start: number): void {
  const run = fenceOf(scan, line);
  const isClosing = run?.startsWith(scan.fence) === true && line.trim() === run;
  if (!scan.isFirst && !isClosing) scan.lines.push(start);
  scan.isFirst = false;
  scan.isBehindFence = isClosing;
  if (isClosing) endBlock(scan);
}

function readLine(scan: Scan, line: string, start: number): void {
  const isIndented = line.startsWith(' ') || line.startsWith('\t');
  if (scan.isAfterBlank && !isIndented && !ITEM.test(line)) scan.isInList = false;
  const fence = fenceOf(scan, line);
  const heading = HEADING.exec(line);
  if (fence !== undefined) openFence(scan, fence, start);
  else if (heading !== null) addHeading(scan, start, (heading[1] as string).length);
  else if (isUnderline(scan, line)) addUnderlined(scan, line);
  else if (RULE.test(line)) {
    scan.blocks.push(start);
    endBlock(scan);
  } else if (line.trimStart().startsWith('|')) readRow(scan, line, start);
  else readText(scan, line, start);
  scan.isAfterBlank = false;
  scan.isBehindFence = false;
}

/** The run of characters that opens or closes a fence; indented more than three, it is code, except in a list. */
function fenceOf({ isInList }: Scan, line: string): string | undefined {
  const [, indentation = '', run] = FENCE.exec(line) ?? [];
  return isInList || (indentation.length <= 3 && !indentation.includes('\t')) ? run : undefined;
}

function openFence(scan: Scan, run: string, start: number): void {
  scan.blocks.push(start);
  scan.block = 'fence';
  scan.fence = run;
  scan.isFirst = true;
}

function addHeading(scan: Scan, at: number, depth: number): void {
  scan.blocks.push(at);
  scan.headings.push({ at, depth });
  endBlock(scan);
}

function isUnderline({ block, isAfterBlank }: Scan, line: string): boolean {
  return block === 'paragraph' && !isAfterBlank && UNDERLINE.test(line);
}

/** The paragraph before this line was a heading. */
function addUnderlined(scan: Scan, line: string): void {
  scan.headings.push({ at: scan.blocks.at(-1) as number, depth: line.includes('=') ? 1 : 2 });
  endBlock(scan);
}

function readRow(scan: Scan, line: string, start: number): void {
  const isNew = scan.block !== 'table' || scan.isAfterBlank;
  const isRule = TABLE_RULE.test(line);
  if (isNew) scan.blocks.push(start);
  else if (!isRule) scan.lines.push(start);
  scan.block = 'table';
}

function readText(scan: Scan, line: string, start: number): void {
  const isItem = ITEM.test(line);
  if (scan.isAfterBlank || scan.block === 'none' || scan.block === 'table') scan.blocks.push(start);
  else if (isItem || line.startsWith('>')) scan.lines.push(start);
  if (isItem) scan.isInList = true;
  const isText = !isItem && !line.startsWith('>') && (scan.block !== 'list' || scan.isAfterBlank);
  scan.block = isText ? 'paragraph' : 'list';
}

/** What comes next begins a block. */
function endBlock(scan: Scan): void {
  scan.block = 'none';
}
