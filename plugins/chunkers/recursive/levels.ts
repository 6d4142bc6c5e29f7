import type { CutFinder } from '../../../core/contracts/chunker.ts';
import type { DelimiterSide } from '../../../core/engine/delimiters.ts';
import type { Kit } from '../../../core/kit.ts';
import type { MarkdownCuts } from './markdown.ts';

/** One level of a hierarchy, as a recipe lists it; README.md says what each kind does. */
export type Level = LiteralLevel | MarkdownLevel;

type LiteralLevel =
  | { readonly delimiters: readonly string[]; readonly include_delim?: DelimiterSide }
  | { readonly line_starts: readonly string[] }
  | { readonly language: keyof Language }
  | { readonly white_space: true };

type MarkdownLevel =
  | { readonly markdown: 'headings'; readonly depth?: number }
  | { readonly markdown: 'blocks' | 'lines' };

/** Delimiters of one language, as `languages.json` lists them. */
export interface Language {
  readonly sentence: readonly string[];
  readonly clause: readonly string[];
}

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

const level = {
  type: 'object',
  properties: {
    delimiters: strings,
    include_delim: { enum: ['prev', 'next'] },
    line_starts: strings,
    language: { enum: ['sentence', 'clause'] },
    white_space: { const: true },
    markdown: { enum: ['headings', 'blocks', 'lines'] },
    depth: { type: 'integer', minimum: 1, maximum: 6 },
  },
  additionalProperties: false,
} as const;

export const recipeSchema = {
  type: 'object',
  required: ['levels'],
  properties: { levels: { type: 'array', items: level } },
  additionalProperties: false,
} as const;

export const languageSchema = {
  type: 'object',
  properties: { sentence: strings, clause: strings },
  additionalProperties: false,
} as const;

const KINDS = ['delimiters', 'line_starts', 'language', 'white_space', 'markdown'] as const;

/** What is wrong with a level that fits its schema, if anything: it must be of one kind, with options of that kind. */
export function problemOfLevel(level: object): string | undefined {
  const kinds = KINDS.filter((kind) => kind in level);
  if (kinds.length !== 1) return `expected one of ${KINDS.join(', ')}, got ${kinds.join(' and ') || 'none'}`;
  if ('include_delim' in level && !('delimiters' in level)) return 'include_delim goes with delimiters alone';
  const isHeadings = 'markdown' in level && level.markdown === 'headings';
  return 'depth' in level && !isHeadings ? 'depth goes with "markdown": "headings" alone' : undefined;
}

const DEEPEST = 6;

/** Makes the finder of a level for one text, which is read as Markdown at most once, for all levels that need it. */
export type MakeFinder = (markdown: () => MarkdownCuts) => CutFinder;

export function prepareLevel(level: Level, language: Language, kit: Kit): MakeFinder {
  if (!('markdown' in level)) {
    const finder = literalFinder(level, language, kit);
    return () => finder;
  }
  const { markdown: kind } = level;
  const depth = 'depth' in level ? (level.depth ?? DEEPEST) : DEEPEST;
  return (markdown) => {
    let find: CutFinder | undefined;
    return (text, start, end) => {
      find ??= kit.cutAtOffsets(offsetsOf(markdown(), kind, depth));
      return find(text, start, end);
    };
  };
}

function literalFinder(level: LiteralLevel, language: Language, kit: Kit): CutFinder {
  if ('delimiters' in level) return kit.cutAtDelimiters(level.delimiters, level.include_delim);
  if ('line_starts' in level) return kit.cutAtLineStarts(level.line_starts);
  if ('language' in level) return kit.cutAtDelimiters(language[level.language]);
  return kit.cutAtWhiteSpace;
}

function offsetsOf(cuts: MarkdownCuts, kind: keyof MarkdownCuts, most: number): readonly number[] {
  if (kind !== 'headings') return cuts[kind];
  return cuts.headings.filter(({ depth }) => depth <= most).map(({ at }) => at);
}
