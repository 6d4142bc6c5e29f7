import type { FromSchema } from 'json-schema-to-ts';
import {
  type CutFinder,
  cutAtDelimiters,
  cutAtOffsets,
  cutAtWhiteSpace,
  isWhiteSpace,
} from '../../../core/kit.ts';
import { type DiffParts, findDiffParts } from '../../toolkit/diff.ts';
import { findLogEntries } from '../../toolkit/log.ts';
import { findMarkdownBlocks, type MarkdownBlock } from '../../toolkit/markdown/index.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

/** A level of a hierarchy; README.md describes each kind. */
export const levelSchema = {
  type: 'object',
  properties: {
    delimiters: strings,
    include_delim: { enum: ['prev', 'next'] },
    line_starts: strings,
    language: { enum: ['sentence', 'clause'] },
    white_space: { const: true },
    blank_lines: { type: 'integer', minimum: 1, maximum: 10 },
    markdown: { enum: ['headings', 'blocks', 'lines'] },
    depth: { type: 'integer', minimum: 1, maximum: 6 },
    diff: { enum: ['commits', 'files', 'hunks', 'lines'] },
    log: { enum: ['entries'] },
  },
  additionalProperties: false,
} as const;

export const languageSchema = {
  type: 'object',
  properties: { sentence: strings, clause: strings },
  additionalProperties: false,
} as const;

export type Level = FromSchema<typeof levelSchema>;

export type Language = Required<FromSchema<typeof languageSchema>>;

const KINDS = [
  'delimiters',
  'line_starts',
  'language',
  'white_space',
  'blank_lines',
  'markdown',
  'diff',
  'log',
] as const;

/** Checks a level that already matches the schema: exactly one kind, and only options of this kind. */
export function problemOfLevel(level: Level): string | undefined {
  const kinds = KINDS.filter((kind) => kind in level);
  if (kinds.length !== 1) return `expected one of ${KINDS.join(', ')}, got ${kinds.join(' and ') || 'none'}`;
  if ('include_delim' in level && !('delimiters' in level)) return 'include_delim is only for delimiters';
  const isHeadings = level.markdown === 'headings';
  return 'depth' in level && !isHeadings ? 'depth is only for "markdown": "headings"' : undefined;
}

export interface Source {
  markdown(): MarkdownCuts;
  diff(): DiffParts;
  readonly text: string;
}

export function sourceOf(text: string): Source {
  let markdown: MarkdownCuts | undefined;
  let diff: DiffParts | undefined;
  return {
    text,
    markdown() {
      markdown ??= findMarkdownCuts(text);
      return markdown;
    },
    diff() {
      diff ??= findDiffParts(text);
      return diff;
    },
  };
}

export type MakeFinder = (source: Source) => CutFinder;

export function prepareLevel(level: Level, language: Language): MakeFinder {
  if (!('markdown' in level || 'diff' in level || 'log' in level)) {
    const finder = literalFinder(level, language);
    return () => finder;
  }
  return (source) => {
    let find: CutFinder | undefined;
    return (text, start, end) => {
      find ??= cutAtOffsets(offsetsIn(source, level));
      return find(text, start, end);
    };
  };
}

function literalFinder(level: Level, language: Language): CutFinder {
  if (level.delimiters) return cutAtDelimiters(level.delimiters, level.include_delim);
  if (level.line_starts) return cutAtLineStarts(level.line_starts);
  if (level.blank_lines) return cutAfterBlankLines(level.blank_lines);
  if (level.language === 'sentence') return cutAtSentenceEnds(language.sentence);
  if (level.language === 'clause') return cutAtClauseEnds(language.clause);
  return cutAtWhiteSpace;
}

function offsetsIn(source: Source, { markdown, diff, depth = 6 }: Level): readonly number[] {
  if (diff === 'files') return source.diff().files.map(({ start }) => start);
  if (diff !== undefined) return source.diff()[diff];
  if (markdown === undefined) return findLogEntries(source.text).map(({ start }) => start);
  if (markdown !== 'headings') return source.markdown()[markdown];
  const headings = source.markdown().headings.filter((heading) => heading.depth <= depth);
  return headings.map(({ at }) => at);
}

const LINE_FEED = 10;
const SPACE = 32;
const FIRST_WIDE_SPACE = 0x85;

export function cutAtLineStarts(starts: readonly string[]): CutFinder {
  const find = cutAtDelimiters(
    starts.map((start) => `\n${start}`),
    'next',
  );
  return (text, start, end) => find(text, start, end).map((cut) => cut + 1);
}

/** Cuts after runs of at least `minimum` blank lines. Lines with only white space are blank. */
export function cutAfterBlankLines(minimum: number): CutFinder {
  return (text, start, end) => findBlankLines(minimum, text, start, end);
}

function findBlankLines(minimum: number, text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  let ink = start;
  while (ink < end && isWhiteSpace(text.charCodeAt(ink))) ink++;
  for (let at = text.indexOf('\n', ink); at !== -1 && at < end; at = text.indexOf('\n', ink)) {
    ink = at + 1;
    if (text.charCodeAt(ink) > SPACE && text.charCodeAt(ink) < FIRST_WIDE_SPACE) continue;
    let lines = 0;
    let lineStart = ink;
    for (; ink < end; ink++) {
      const unit = text.charCodeAt(ink);
      if (unit === LINE_FEED) {
        lines++;
        lineStart = ink + 1;
      } else if (!isWhiteSpace(unit)) break;
    }
    if (lines >= minimum && ink < end) cuts.push(lineStart);
  }
  return cuts;
}

/** Line starts, in ascending order, where a Markdown text can be cut. */
interface MarkdownCuts {
  /** Headings outside of lists and quotes; `depth` is from 1 to 6. */
  readonly headings: readonly { readonly at: number; readonly depth: number }[];
  /** Starts of headings, paragraphs and rules, and of whole lists, quotes, tables and fences. */
  readonly blocks: readonly number[];
  /**
   * Starts of list items, nested blocks, table rows and lines of code. The markers of a fence stay with the adjacent
   * lines, and the header of a table with its delimiter row.
   */
  readonly lines: readonly number[];
}

export function findMarkdownCuts(text: string): MarkdownCuts {
  const blocks = findMarkdownBlocks(text);
  const outer = blocks.filter(({ depth }) => depth === 0);
  const lines = new Set<number>();
  for (const block of blocks) {
    // Nested blocks stay whole here. Other levels cut the code in lists and quotes.
    if (block.depth > 0) lines.add(block.start);
    if (block.depth === 0 || block.kind === 'table')
      for (const at of startsWithin(text, block)) lines.add(at);
  }
  return {
    headings: outer.flatMap(({ kind, start, level }) =>
      kind === 'heading' ? [{ at: start, depth: level }] : [],
    ),
    blocks: outer.map(({ start }) => start),
    lines: [...lines].sort((a, b) => a - b),
  };
}

function startsWithin(text: string, { kind, start, end, inner }: MarkdownBlock): readonly number[] {
  if (kind === 'table') return lineStarts(text, inner, end);
  if (kind === 'indented' || kind === 'html' || kind === 'raw') return lineStarts(text, start, end).slice(1);
  if (kind !== 'fence') return [];
  // Adds `end`, because a fence may fit only if the blank lines after the fence are cut off.
  return [...lineStarts(text, start, end).slice(2, -1), end];
}

function lineStarts(text: string, from: number, to: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < to; ) {
    starts.push(at);
    const end = text.indexOf('\n', at);
    at = end === -1 ? to : end + 1;
  }
  return starts;
}
