import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FromSchema } from 'json-schema-to-ts';
import {
  type Collaborators,
  type CutFinder,
  cutAtDelimiters,
  cutAtOffsets,
  cutAtWhiteSpace,
  exposedError,
  refusedError,
} from '../../../core/kit.ts';
import { type DiffParts, findDiffParts } from '../../toolkit/diff.ts';
import { findLogEntries } from '../../toolkit/log.ts';
import { findMarkdownBlocks } from '../../toolkit/markdown/index.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import { cutAfterBlankLines, cutAtLineStarts } from './line-cuts.ts';
import { findMarkdownCuts, type MarkdownCuts } from './markdown.ts';

/** How a text is divided. */
export interface Hierarchy {
  /** Coarsest first. */
  readonly finders: readonly CutFinder[];
  /** Whether what only introduces the text after it stays with that text. */
  readonly introductions: boolean;
  /** Whether titles need no marks. */
  readonly titles: boolean;
  /** The files of a diff, if the recipe is one for diffs. */
  readonly files?: DiffParts['files'] | undefined;
}

/**
 * The hierarchy of a recipe for a text in a language.
 *
 * @throws an error for the caller that names the known recipes, or an exposed error that says what is wrong with the
 * recipe's file
 */
export type HierarchyOf = ((recipe: string, lang: string, text: string) => Hierarchy) & {
  /** Why there is no such recipe; undefined if there is. */
  readonly problemOf: (recipe: string) => string | undefined;
};

export type RecipeTools = Pick<Collaborators, 'log' | 'createCheck'>;

/**
 * Reads the recipes of a folder: files `recipes/<name>.json`, and `languages.json`. A malformed one is logged, and
 * only requests that need it fail.
 */
export function loadRecipes(tools: RecipeTools, folder: string = import.meta.dirname): HierarchyOf {
  const { createCheck } = tools;
  const checkRecipe = createCheck(recipeSchema);
  const checkLanguage = createCheck(languageSchema);
  const read = <T>(file: string, problemsOf: (json: unknown) => readonly string[]) =>
    readWhenNeeded<T>(tools, folder, file, problemsOf);
  const readLanguages = read<Languages>('languages.json', (json) => problemsOfLanguages(json, checkLanguage));
  const files = readdirSync(join(folder, 'recipes')).filter((file) => file.endsWith('.json'));
  const recipes = new Map(
    files.map((file) => {
      const readRecipe = read<Recipe>(`recipes/${file}`, (json) => problemsOfRecipe(json, checkRecipe));
      return [basename(file, '.json'), readRecipe];
    }),
  );
  const made = new Map<string, readonly MakeFinder[]>();

  function prepare(recipe: string, levels: readonly Level[], lang: string): readonly MakeFinder[] {
    const needsLanguage = levels.some((level) => 'language' in level);
    const languages = needsLanguage ? readLanguages() : NO_LANGUAGES;
    const name = knownLanguage(lang, languages);
    const key = `${recipe} ${name}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const language = { ...languages.default, ...languages[name] };
    const makers = levels.map((level) => prepareLevel(level, language));
    made.set(key, makers);
    return makers;
  }

  const problemOf = (recipe: string) =>
    recipes.has(recipe) ? undefined : unknownRecipe(recipe, [...recipes.keys()]);

  function hierarchyOf(recipe: string, lang: string, text: string): Hierarchy {
    const readRecipe = recipes.get(recipe);
    if (readRecipe === undefined) throw refusedError(unknownRecipe(recipe, [...recipes.keys()]));
    const { levels, introductions = true, titles = introductions } = readRecipe();
    const source = sourceOf(text);
    const finders = prepare(recipe, levels, lang).map((make) => make(source));
    const files = levels.some((level) => 'diff' in level) ? source.diff().files : undefined;
    return { finders, introductions, titles, files };
  }

  return Object.assign(hierarchyOf, { problemOf });
}

/** A text that is parsed at most once in each format, for all levels that need it. */
interface Source {
  markdown(): MarkdownCuts;
  diff(): DiffParts;
  readonly text: string;
}

function sourceOf(text: string): Source {
  let markdown: MarkdownCuts | undefined;
  let diff: DiffParts | undefined;
  return {
    text,
    markdown() {
      markdown ??= findMarkdownCuts(text, findMarkdownBlocks(text));
      return markdown;
    },
    diff() {
      diff ??= findDiffParts(text);
      return diff;
    },
  };
}

type Check = ReturnType<Collaborators['createCheck']>;

function problemsOfRecipe(json: unknown, check: Check): readonly string[] {
  const problems = check(json);
  if (problems.length > 0) return problems;
  const ofLevels = (json as Recipe).levels.map(problemOfLevel);
  return ofLevels.flatMap((problem, index) => (problem === undefined ? [] : `levels[${index}]: ${problem}`));
}

function problemsOfLanguages(json: unknown, check: Check): readonly string[] {
  const languages = (json ?? {}) as Partial<Languages>;
  const problems = Object.entries(languages).flatMap(([lang, own]) => check(own, `${lang}.`));
  const { sentence, clause } = languages.default ?? {};
  const isWhole = sentence !== undefined && clause !== undefined;
  return isWhole ? problems : [...problems, 'default: expected an object with sentence and clause'];
}

/** The listed language: `zh` for `zh-Hans-CN`; the default if it is not listed. */
function knownLanguage(lang: string, languages: Languages): string {
  const primary = lang.toLowerCase().split(/[-_]/)[0] as string;
  return Object.hasOwn(languages, primary) ? primary : 'default';
}

function unknownRecipe(recipe: string, known: readonly string[]): string {
  const list = [...known].sort().join(', ');
  return `recipe: there is no recipe ${JSON.stringify(recipe)}; available: ${list}.`;
}

/**
 * Reads a JSON file at once, and returns what gives its content or throws its problem: a sentence that names the
 * file, the place in it and what to change.
 *
 * @param file its path in the folder, with `/`
 */
function readWhenNeeded<T>(
  { log }: RecipeTools,
  folder: string,
  file: string,
  problemsOf: (json: unknown) => readonly string[],
): () => T {
  const { json, problem } = readJson(join(folder, file));
  const problems = problem === undefined ? problemsOf(json) : [];
  if (problem === undefined && problems.length === 0) return () => json as T;
  const message = `${file}${problem ?? `: ${problems.join('; ')}`}`;
  log.warn({ plugin: 'chunker/recursive' }, message);
  return () => {
    throw exposedError(message);
  };
}

function readJson(path: string): { readonly json?: unknown; readonly problem?: string } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { problem: `: it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  const reason = reasonAgainst(text);
  if (reason === undefined) return { json: JSON.parse(text) };
  const lines = text.slice(0, firstBroken(text)).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  return { problem: `, ${place}: this is not valid JSON, ${reason.replace(/ in JSON at .*/, '')}` };
}

/** Why a text is not JSON. */
function reasonAgainst(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/**
 * Where a text stops being the beginning of a JSON value. V8 does not report it for every error, so it is searched.
 */
function firstBroken(text: string): number {
  let good = 0;
  let broken = text.length + 1;
  while (broken - good > 1) {
    const middle = (good + broken) >>> 1;
    if (canGoOn(text.slice(0, middle))) good = middle;
    else broken = middle;
  }
  return good;
}

function canGoOn(beginning: string): boolean {
  const reason = reasonAgainst(beginning);
  if (reason === undefined || reason.includes('end of JSON input')) return true;
  const position = /at position (\d+)/.exec(reason)?.[1];
  return reason.startsWith('Unterminated') || Number(position ?? -1) >= beginning.length;
}

const strings = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

/** One level of a hierarchy, as a recipe lists it; README.md describes each kind. */
const level = {
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

const recipeSchema = {
  type: 'object',
  required: ['levels'],
  properties: {
    levels: { type: 'array', items: level },
    introductions: { type: 'boolean' },
    titles: { type: 'boolean' },
  },
  additionalProperties: false,
} as const;

const languageSchema = {
  type: 'object',
  properties: { sentence: strings, clause: strings },
  additionalProperties: false,
} as const;

type Recipe = FromSchema<typeof recipeSchema>;
type Level = FromSchema<typeof level>;

/** Delimiters of one language. */
type Language = Required<FromSchema<typeof languageSchema>>;

/** Delimiters by language, as `languages.json` lists them; those that a language lacks are the default ones. */
interface Languages {
  readonly default: Language;
  readonly [lang: string]: Partial<Language>;
}

const NO_LANGUAGES: Languages = { default: { sentence: [], clause: [] } };

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

/** The problem with a level that matches its schema, if any: it must be of one kind, with options of that kind. */
function problemOfLevel(level: Level): string | undefined {
  const kinds = KINDS.filter((kind) => kind in level);
  if (kinds.length !== 1) return `expected one of ${KINDS.join(', ')}, got ${kinds.join(' and ') || 'none'}`;
  if ('include_delim' in level && !('delimiters' in level)) return 'include_delim is only for delimiters';
  const isHeadings = level.markdown === 'headings';
  return 'depth' in level && !isHeadings ? 'depth is only for "markdown": "headings"' : undefined;
}

const MAX_DEPTH = 6;

/** Creates the finder of a level for one text. */
type MakeFinder = (source: Source) => CutFinder;

function prepareLevel(level: Level, language: Language): MakeFinder {
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

/** The offsets at which a level cuts that a text is parsed for. */
function offsetsIn(source: Source, { markdown, diff, depth = MAX_DEPTH }: Level): readonly number[] {
  if (diff === 'files') return source.diff().files.map(({ start }) => start);
  if (diff !== undefined) return source.diff()[diff];
  if (markdown === undefined) return findLogEntries(source.text).map(({ start }) => start);
  if (markdown !== 'headings') return source.markdown()[markdown];
  const headings = source.markdown().headings.filter((heading) => heading.depth <= depth);
  return headings.map(({ at }) => at);
}
