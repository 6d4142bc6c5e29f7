import type { Outline, TokenizedText } from '../../../core/kit.ts';
import { GrowingOutline } from '../../toolkit/growing-outline.ts';
import { type Block, isAside } from './blocks.ts';
import { Lines } from './lines.ts';

/** Ranks of boundaries; lower is better. The rank of a heading is its level, 1 to 6. */
const MAX_HEADING_LEVEL = 6;
const BEHIND_BREAK = 7;
const BLOCK = 8;
/** Added to the rank for each level of nesting. */
const DEEPER = 4;
/** Added to the rank before a block that belongs to the previous block. */
const LEANING = 1;
/** Added to the rank between lines without a blank line between them. */
const WITHIN_LINES = 2;
const COLUMNS = 2;
const MAX_INDENTS = 5;
/** Maximum comments and attributes that stay with a heading. Each costs a new count of all tokens since the heading. */
const MAX_ASIDES = 12;

export interface OutlineRules {
  /** Whether code, tables and other blocks are never cut. */
  readonly keepsWhole: boolean;
  /** Maximum tokens of a stretch that needs no boundaries within. */
  readonly room: number;
  readonly tokens: TokenizedText;
}

/**
 * Finds the boundaries between blocks, and between the lines of large blocks. No boundary follows a heading or
 * separates a block from the lines that open or close it.
 */
export function outlineOf(text: string, blocks: readonly Block[], rules: OutlineRules): Outline {
  const outline = new GrowingOutline();
  let lines: Lines | undefined;
  let before: Block | undefined;
  let isGlued = false;
  let asides = 0;
  for (const block of blocks) {
    const rank = rankOf(block, before, text);
    if (!isGlued) outline.add(block.start, rank);
    else if (block.kind === 'heading') outline.improve(rank);
    before = block;
    asides = isAside(block) ? asides + 1 : 0;
    isGlued = block.kind === 'heading' || (isGlued && asides > 0 && asides <= MAX_ASIDES);
    if (!block.hasLines || rules.keepsWhole || rules.tokens.count(outline.last, block.end) <= rules.room)
      continue;
    lines ??= new Lines(text);
    addLines(block, lines, outline);
  }
  outline.add(text.length, 0);
  return outline;
}

function rankOf(block: Block, before: Block | undefined, text: string): number {
  if (block.level > 0) return Math.min(block.level, MAX_HEADING_LEVEL);
  const rank = BLOCK + DEEPER * block.depth;
  if (before === undefined || block.kind === 'heading') return rank;
  if (before.kind === 'break' && block.depth === 0) return BEHIND_BREAK;
  return leansBack(block, before, text) ? rank + LEANING : rank;
}

function leansBack({ kind }: Block, before: Block, text: string): boolean {
  if (kind === 'break') return true;
  if (before.kind !== 'paragraph' || kind === 'paragraph') return false;
  return /[:：][*_`]{0,2}\s*$/.test(text.slice(Math.max(before.start, before.end - 12), before.end));
}

/** Adds boundaries between lines, with better ranks after a blank line and at little indentation. */
function addLines({ start, end, from, to, depth }: Block, lines: Lines, outline: GrowingOutline): void {
  const rank = BLOCK + DEEPER * (depth + 1);
  let line = lines.lineAt(Math.max(start, from));
  const margin = lines.isBlank(line) ? 0 : lines.indent(line);
  let isBehindBlank = false;
  for (line++; line < lines.count && lines.start(line) < Math.min(to, end); line++) {
    const isBlank = lines.isBlank(line);
    if (!isBlank && lines.start(line) > from) {
      const indents = Math.ceil(Math.max(lines.indent(line) - margin, 0) / COLUMNS);
      const worse = DEEPER * Math.min(indents, MAX_INDENTS) + (isBehindBlank ? 0 : WITHIN_LINES);
      outline.add(lines.start(line), rank + worse);
    }
    isBehindBlank = isBlank;
  }
}
