import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Collaborators,
  CreateCheck,
  CutFinder,
  DelimiterSide,
  Kit,
  ObjectSchema,
} from '../../../core/kit.ts';
import { findMarkdownCuts, type MarkdownCuts } from './markdown.ts';

/** The recipes of a folder: files `recipes/<name>.json`, and `languages.json`. */
export interface Recipes {
  /**
   * The cut finders of a recipe for a text in a language, coarsest first.
   *
   * @throws an error for the caller that names the known recipes, or an exposed error that says what is wrong
   * with the recipe's file
   */
  finders(recipe: string, lang: string, text: string): readonly CutFinder[];
}

export type RecipeTools = Pick<Collaborators, 'kit' | 'log' | 'createCheck'>;

interface Languages {
  readonly fallback: Language;
  readonly known: ReadonlyMap<string, Language>;
}

const NO_LANGUAGES: Languages = { fallback: { sentence: [], clause: [] }, known: new Map() };

/** Reads all files at once. A malformed one is logged, and only requests that need it fail. */
export function loadRecipes(tools: RecipeTools, folder: string = import.meta.dirname): Recipes {
  const { kit, log } = tools;
  const files = createFileReader(folder, tools);
  const languages = readLanguages(files);
  const recipes = readRecipes(files, folder);
  for (const one of [languages, ...recipes.values()]) {
    if ('problem' in one) log.warn({ plugin: 'chunker/recursive' }, one.problem);
  }
  const made = new Map<string, readonly MakeFinder[]>();

  function use<T>(one: Read<T>): T {
    if ('problem' in one) throw kit.exposedError(one.problem);
    return one.value;
  }

  function prepare(recipe: string, levels: readonly Level[], lang: string): readonly MakeFinder[] {
    const needsLanguage = levels.some((level) => 'language' in level);
    const { known, fallback } = needsLanguage ? use(languages) : NO_LANGUAGES;
    const name = knownLanguage(lang, known);
    const key = `${recipe} ${name}`;
    const makers =
      made.get(key) ?? levels.map((level) => prepareLevel(level, known.get(name) ?? fallback, kit));
    made.set(key, makers);
    return makers;
  }

  return {
    finders(recipe, lang, text) {
      const levels = recipes.get(recipe);
      if (levels === undefined) throw kit.refusedError(unknownRecipe(recipe, [...recipes.keys()]));
      let cuts: MarkdownCuts | undefined;
      const markdown = () => {
        cuts ??= findMarkdownCuts(text, kit.findMarkdownBlocks(text));
        return cuts;
      };
      return prepare(recipe, use(levels), lang).map((make) => make(markdown));
    },
  };
}

function readRecipes(files: FileReader, folder: string): ReadonlyMap<string, Read<readonly Level[]>> {
  const names = readdirSync(join(folder, 'recipes')).filter((file) => file.endsWith('.json'));
  return new Map(names.map((name) => [name.slice(0, -'.json'.length), readRecipe(files, `recipes/${name}`)]));
}

function readRecipe(files: FileReader, file: string): Read<readonly Level[]> {
  return files.read(file, (json) => {
    const problems = files.check(recipeSchema, json);
    if (problems.length > 0) return { problems };
    const { levels } = json as { levels: readonly Level[] };
    const wrong = levels.flatMap((level, index) => {
      const problem = problemOfLevel(level);
      return problem === undefined ? [] : [`levels[${index}]: ${problem}`];
    });
    return wrong.length > 0 ? { problems: wrong } : { value: levels };
  });
}

function readLanguages(files: FileReader): Read<Languages> {
  return files.read('languages.json', (json) => {
    const entries = Object.entries((json ?? {}) as Record<string, Partial<Language>>);
    const problems = entries.flatMap(([lang, own]) => files.check(languageSchema, own, `${lang}.`));
    const fallback = (json as { default?: Partial<Language> } | null)?.default;
    if (fallback?.sentence === undefined || fallback.clause === undefined)
      problems.push('default: expected an object with sentence and clause');
    if (problems.length > 0) return { problems };
    const whole = entries.map(([lang, own]) => [lang, { ...(fallback as Language), ...own }] as const);
    const known = new Map(whole.filter(([lang]) => lang !== 'default'));
    return { value: { fallback: fallback as Language, known } };
  });
}

/** The listed language: `zh` for `zh-Hans-CN`; empty if it is not listed. */
function knownLanguage(lang: string, languages: ReadonlyMap<string, Language>): string {
  const primary = lang.toLowerCase().split(/[-_]/)[0] as string;
  return languages.has(primary) ? primary : '';
}

function unknownRecipe(recipe: string, known: readonly string[]): string {
  const list = [...known].sort().join(', ');
  return `recipe: there is no recipe ${JSON.stringify(recipe)}; available: ${list}.`;
}

/** The content of a file, or a sentence that names the file, the place in it and what to change. */
type Read<T> = { readonly value: T } | { readonly problem: string };

/** Converts a file's JSON. */
type Parsed<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Reads JSON files of one folder; the problem of a file is its result. */
interface FileReader {
  /** @param file its path in the folder, with `/` */
  read<T>(file: string, parse: (json: unknown) => Parsed<T>): Read<T>;
  check(schema: ObjectSchema, value: unknown, place?: string): string[];
}

function createFileReader(
  folder: string,
  { createCheck }: { readonly createCheck: CreateCheck },
): FileReader {
  return {
    read(file, parse) {
      const json = readJson(folder, file);
      if ('problem' in json) return json;
      const parsed = parse(json.value);
      return 'value' in parsed ? parsed : { problem: `${file}: ${parsed.problems.join('; ')}` };
    },
    check: (schema, value, place) => [...createCheck(schema)(value, place)],
  };
}

function readJson(folder: string, file: string): Read<unknown> {
  let text: string;
  try {
    text = readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    return { problem: `${file}: it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  const reason = reasonAgainst(text);
  if (reason === undefined) return { value: JSON.parse(text) };
  const lines = text.slice(0, firstBroken(text)).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  return { problem: `${file}, ${place}: this is not valid JSON, ${reason.replace(/ in JSON at .*/, '')}` };
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

/** One level of a hierarchy, as a recipe lists it; README.md describes each kind. */
type Level = LiteralLevel | MarkdownLevel;

type LiteralLevel =
  | { readonly delimiters: readonly string[]; readonly include_delim?: DelimiterSide }
  | { readonly line_starts: readonly string[] }
  | { readonly language: keyof Language }
  | { readonly white_space: true };

type MarkdownLevel =
  | { readonly markdown: 'headings'; readonly depth?: number }
  | { readonly markdown: 'blocks' | 'lines' };

/** Delimiters of one language, as `languages.json` lists them. */
interface Language {
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

const recipeSchema = {
  type: 'object',
  required: ['levels'],
  properties: { levels: { type: 'array', items: level } },
  additionalProperties: false,
} as const;

const languageSchema = {
  type: 'object',
  properties: { sentence: strings, clause: strings },
  additionalProperties: false,
} as const;

const KINDS = ['delimiters', 'line_starts', 'language', 'white_space', 'markdown'] as const;

/** The problem with a level that matches its schema, if any: it must be of one kind, with options of that kind. */
function problemOfLevel(level: object): string | undefined {
  const kinds = KINDS.filter((kind) => kind in level);
  if (kinds.length !== 1) return `expected one of ${KINDS.join(', ')}, got ${kinds.join(' and ') || 'none'}`;
  if ('include_delim' in level && !('delimiters' in level)) return 'include_delim is only for delimiters';
  const isHeadings = 'markdown' in level && level.markdown === 'headings';
  return 'depth' in level && !isHeadings ? 'depth is only for "markdown": "headings"' : undefined;
}

const DEEPEST = 6;

/**
 * Creates the finder of a level for one text, which is parsed as Markdown at most once, for all levels that need it.
 */
type MakeFinder = (markdown: () => MarkdownCuts) => CutFinder;

function prepareLevel(level: Level, language: Language, kit: Kit): MakeFinder {
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
