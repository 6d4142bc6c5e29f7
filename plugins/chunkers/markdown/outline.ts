import { isLineBreak, isTitle, type Outline, type TokenizedText } from '../../../core/kit.ts';
import { GrowingOutline } from '../../toolkit/growing-outline.ts';
import { LineEnds } from '../../toolkit/lines.ts';
import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';
import { isContainer, isRaw } from './blocks.ts';
import type { Components } from './mdx.ts';

/** Ranks of boundaries, best first: those of headings are their levels, 1 to 6. */
const MAX_HEADING_LEVEL = 6;
const BEHIND_FRONT_MATTER = 1;
const BEHIND_BREAK = 7;
const BLOCK = 8;
/** How much worse it is to cut one container deeper. */
const DEEPER = 4;
/** How much worse it is to cut before a block that belongs to the previous one. */
const LEANING = 1;

/** Headings in a row that take more than this share of a chunk are parted. */
const MAX_SHARE = 0.75;

export interface OutlineRules {
  /** Whether code, HTML and rows are never cut. */
  readonly keepsWhole: boolean;
  /** Maximum tokens of a stretch that fits into a chunk, so that it needs no boundaries within. */
  readonly room: number;
  readonly tokens: TokenizedText;
  /** Those of MDX. */
  readonly components: Components | undefined;
}

function fits({ room, tokens }: OutlineRules, start: number, end: number): boolean {
  return tokens.count(start, end) <= room;
}

/**
 * Finds where Markdown may be cut: only at the beginnings of lines. Not between a heading and the text below it, not
 * between the header of a table and its first row, not after the first or before the last line of a fence.
 */
export function outlineOf(text: string, blocks: readonly MarkdownBlock[], rules: OutlineRules): Outline {
  const { components } = rules;
  const outline = new GrowingOutline();
  const lines = new LineEnds(text);
  let leading: MarkdownBlock | undefined;
  let leaf: MarkdownBlock | undefined;
  let glued = 0;
  for (const block of blocks) {
    const isHeading = block.kind === 'heading';
    const rank = rankOf(block, leaf, text, components);
    const isTitled = leading?.kind === 'paragraph' && isRaw(block);
    if (leading !== undefined && staysWith(block, leading, rules, outline)) {
      glued = block.start;
      // Where a higher heading stays with an empty section, the cut before both is as good as before the heading.
      if (isHeading) outline.improve(rank);
    }
    if (block.start !== glued && components?.glued.has(block.start) !== true) outline.add(block.start, rank);
    leading = isHeading || isTitleBlock(text, block) ? block : undefined;
    if (isContainer(block)) continue;
    leaf = block;
    if (fits(rules, outline.last, block.end)) continue;
    if (isTitled && block.start > outline.last && fits(rules, block.start, block.end))
      outline.add(block.start, rank);
    else addWithin(text, block, rules, lines, outline);
  }
  outline.add(text.length, 0);
  return outline;
}

/**
 * Whether a block stays with the heading or title above it. So do headings in a row, whatever their levels, as long as
 * they leave room for the text below them; a title leads into text only.
 */
function staysWith(
  { kind, level, start, depth }: MarkdownBlock,
  leading: MarkdownBlock,
  { room, tokens }: OutlineRules,
  outline: GrowingOutline,
): boolean {
  if (depth < leading.depth) return false;
  if (leading.kind === 'heading' && (kind !== 'heading' || depth > leading.depth || level > leading.level))
    return true;
  const isOther =
    kind === 'heading' ? leading.kind === 'paragraph' : kind === 'break' || kind === 'definition';
  return !isOther && tokens.count(outline.last, start) <= MAX_SHARE * room;
}

/** Maximum units of a line that may be a title, with its line break. */
const MAX_TITLE = 102;

/** Whether a block is a title without marks. */
function isTitleBlock(text: string, { kind, start, end, depth }: MarkdownBlock): boolean {
  if (kind !== 'paragraph' || depth > 0 || end - start > MAX_TITLE) return false;
  let last = end;
  while (last > start && isSpace(text.charCodeAt(last - 1))) last--;
  for (let at = start; at < last; at++) if (isLineBreak(text.charCodeAt(at))) return false;
  return isTitle(text, start, last);
}

function rankOf(
  block: MarkdownBlock,
  before: MarkdownBlock | undefined,
  text: string,
  components: Components | undefined,
): number {
  if (block.kind === 'heading' && block.depth === 0) return Math.min(block.level, MAX_HEADING_LEVEL);
  const rank = BLOCK + DEEPER * (block.depth + (components?.nestingAt(block.start) ?? 0));
  if (before === undefined) return rank;
  if (block.depth === 0 && before.kind === 'front_matter') return BEHIND_FRONT_MATTER;
  if (block.depth === 0 && before.depth === 0 && before.kind === 'break') return BEHIND_BREAK;
  return leansBack(block, before, text) ? rank + LEANING : rank;
}

/** Whether a block belongs to the previous one. */
function leansBack({ kind }: MarkdownBlock, before: MarkdownBlock, text: string): boolean {
  if (kind === 'break') return true;
  if (kind === 'definition') return before.kind === 'definition';
  if (before.kind !== 'paragraph' || kind === 'paragraph' || kind === 'item') return false;
  return endsWithColon(text, before);
}

const COLON = 58;
const DELETE = 127;
/** Characters in which the colon is looked for. */
const LAST_READ = 8;

function endsWithColon(text: string, { start, end }: MarkdownBlock): boolean {
  const from = Math.max(start, end - LAST_READ);
  let at = end - 1;
  while (at >= from && isSpace(text.charCodeAt(at))) at--;
  const last = text.charCodeAt(at);
  // The expression takes several times as long.
  return last > 32 && last < DELETE ? last === COLON && at >= from : /[:：]\s*$/.test(text.slice(from, end));
}

/**
 * Adds the boundaries within a block that is too large by itself or with the heading before it: questions find the
 * heading with the first lines better than the block without its heading. What is kept whole is parted from it.
 */
function addWithin(
  text: string,
  block: MarkdownBlock,
  rules: OutlineRules,
  lines: LineEnds,
  outline: GrowingOutline,
): void {
  const rank = BLOCK + DEEPER * (block.depth + (rules.components?.nestingAt(block.start) ?? 0) + 1);
  if (block.kind === 'table') addRows(block, rank, lines, outline);
  else if (!isRaw(block)) return;
  else if (!rules.keepsWhole) addLines(text, block, rank, lines, outline);
  else if (block.start > outline.last && fits(rules, block.start, block.end)) outline.add(block.start, rank);
}

/** Between rows; the header, the delimiter row and the first row stay together. */
function addRows(
  { inner, end }: MarkdownBlock,
  rank: number,
  lines: LineEnds,
  outline: GrowingOutline,
): void {
  for (let at = lines.next(inner); at < end; at = lines.next(at)) outline.add(at, rank);
}

/** Between lines, best after a blank one and where nothing is indented; never next to the markers of a fence. */
function addLines(
  text: string,
  block: MarkdownBlock,
  rank: number,
  lines: LineEnds,
  outline: GrowingOutline,
): void {
  const { start, inner, end } = block;
  const isFence = block.kind === 'fence';
  const margin = inner - start;
  let at = lines.next(start);
  if (isFence) at = lines.next(at);
  let isBehindBlank = false;
  while (at < end) {
    const next = lines.next(at);
    const ink = firstInk(text, at, next);
    const isBlank = ink === next;
    if (!isBlank && !(isFence && next >= end)) {
      outline.add(at, rank + (isBehindBlank ? 0 : 2) + (ink - at <= margin ? 0 : 1));
    }
    isBehindBlank = isBlank;
    at = next;
  }
}

function firstInk(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 32 || unit === 9 || isLineBreak(unit);
}
