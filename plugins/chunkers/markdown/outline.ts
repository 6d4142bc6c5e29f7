import { countWhile, isLineBreak, isTitle, type Outline, type TokenizedText } from '../../../core/kit.ts';
import { GrowingOutline } from '../../toolkit/growing-outline.ts';
import { LineEnds } from '../../toolkit/lines.ts';
import type { BlockKind, MarkdownBlock } from '../../toolkit/markdown/index.ts';
import type { Components } from './mdx.ts';

/** Ranks of boundaries, best first. The ranks of headings are their levels, 1 to 6. */
const MAX_HEADING_LEVEL = 6;
const BEHIND_FRONT_MATTER = 1;
const BEHIND_BREAK = 7;
const BLOCK = 8;
/** Added to the rank for each container around a block. */
const DEEPER = 4;
/** Added to the rank of a block that belongs to the previous block. */
const LEANING = 1;

/** Consecutive headings are separated if they take more than this share of a chunk. */
const MAX_SHARE = 0.75;

export interface OutlineRules {
  readonly keepsWhole: boolean;
  /** Maximum tokens of a stretch that needs no boundaries within. */
  readonly room: number;
  readonly tokens: TokenizedText;
  readonly components: Components | undefined;
}

function fits({ room, tokens }: OutlineRules, start: number, end: number): boolean {
  return tokens.count(start, end) <= room;
}

/**
 * Finds boundaries of Markdown at the starts of lines. A heading stays with the text below it, a table's header with
 * the first row, and the markers of a fence with the adjacent lines.
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
      // An empty section stays with the higher heading after it. The cut before both has the rank of that heading.
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
 * Whether a block stays with the heading or title above it. Consecutive headings stay together if they leave room for
 * the text below them. A title stays only with text.
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

const MAX_TITLE = 102;

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

function leansBack({ kind }: MarkdownBlock, before: MarkdownBlock, text: string): boolean {
  if (kind === 'break') return true;
  if (kind === 'definition') return before.kind === 'definition';
  if (before.kind !== 'paragraph' || kind === 'paragraph' || kind === 'item') return false;
  return endsWithColon(text, before);
}

const COLON = 58;
const DELETE = 127;
const LAST_READ = 8;

function endsWithColon(text: string, { start, end }: MarkdownBlock): boolean {
  const from = Math.max(start, end - LAST_READ);
  let at = end - 1;
  while (at >= from && isSpace(text.charCodeAt(at))) at--;
  const last = text.charCodeAt(at);
  return last > 32 && last < DELETE ? last === COLON && at >= from : /[:：]\s*$/.test(text.slice(from, end));
}

/**
 * Adds boundaries within a block that does not fit, alone or with its heading. The heading stays with the block's first
 * lines, because search finds both better together. A block that must stay whole is separated from its heading.
 */
function addWithin(
  text: string,
  block: MarkdownBlock,
  rules: OutlineRules,
  lines: LineEnds,
  outline: GrowingOutline,
): void {
  const rank = BLOCK + DEEPER * (block.depth + (rules.components?.nestingAt(block.start) ?? 0) + 1);
  if (block.kind === 'table') addRows(block, rank, rules, lines, outline);
  else if (!isRaw(block)) return;
  else if (!rules.keepsWhole) addLines(text, block, rank, lines, outline);
  else if (block.start > outline.last && fits(rules, block.start, block.end)) outline.add(block.start, rank);
}

/**
 * Adds boundaries between rows. The header, the delimiter row and the first row stay together, also if they fit only
 * without the heading.
 */
function addRows(
  { start, inner, end }: MarkdownBlock,
  rank: number,
  rules: OutlineRules,
  lines: LineEnds,
  outline: GrowingOutline,
): void {
  const first = Math.min(lines.next(inner), end);
  if (start > outline.last && !fits(rules, outline.last, first) && fits(rules, start, first))
    outline.add(start, rank);
  for (let at = first; at < end; at = lines.next(at)) outline.add(at, rank);
}

/**
 * Adds boundaries between lines, except next to fence markers: best after blank lines, then before unindented lines.
 */
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

export function isContainer({ kind }: MarkdownBlock): boolean {
  return kind === 'list' || kind === 'item' || kind === 'quote' || kind === 'footnote';
}

const RAW: ReadonlySet<BlockKind> = new Set(['fence', 'indented', 'html', 'raw', 'esm', 'front_matter']);

export function isRaw({ kind }: MarkdownBlock): boolean {
  return RAW.has(kind);
}

export function lastBefore(blocks: readonly MarkdownBlock[], offset: number): number {
  return countWhile(blocks, ({ start }) => start < offset) - 1;
}
