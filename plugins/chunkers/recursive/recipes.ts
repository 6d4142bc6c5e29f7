import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FromSchema } from 'json-schema-to-ts';
import { type Collaborators, type CutFinder, exposedError, refusedError } from '../../../core/kit.ts';
import type { DiffFile } from '../../toolkit/diff.ts';
import {
  type Language,
  type Level,
  languageSchema,
  levelSchema,
  type MakeFinder,
  prepareLevel,
  problemOfLevel,
  sourceOf,
} from './levels.ts';

export interface Hierarchy {
  /** The coarsest finder is first. */
  readonly finders: readonly CutFinder[];
  /** Whether introductions, such as a line that ends with a colon, stay with the text after them. */
  readonly introductions: boolean;
  /** Whether titles without markup stay with the text after them. */
  readonly titles: boolean;
  readonly files?: readonly DiffFile[] | undefined;
}

export interface Recipes {
  /** @throws an error shown to callers if the recipe does not exist (their mistake) or is malformed (the server's) */
  hierarchyOf(recipe: string, lang: string, text: string): Hierarchy;
  problemOf(recipe: string): string | undefined;
}

type RecipeTools = Pick<Collaborators, 'log' | 'createCheck'>;

/**
 * Loads the recipes of a folder: `recipes/<name>.json` and `languages.json`. A malformed file is logged, and only
 * requests that need it fail.
 */
export function loadRecipes(tools: RecipeTools, folder: string = import.meta.dirname): Recipes {
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
  const prepared = new Map<string, readonly MakeFinder[]>();

  function prepare(recipe: string, levels: readonly Level[], lang: string): readonly MakeFinder[] {
    const needsLanguage = levels.some((level) => 'language' in level);
    const languages = needsLanguage ? readLanguages() : NO_LANGUAGES;
    const name = knownLanguage(lang, languages);
    const key = `${recipe} ${name}`;
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const language = { ...languages.default, ...languages[name] };
    const makers = levels.map((level) => prepareLevel(level, language));
    prepared.set(key, makers);
    return makers;
  }

  return {
    hierarchyOf(recipe, lang, text) {
      const readRecipe = recipes.get(recipe);
      if (readRecipe === undefined) throw refusedError(unknownRecipe(recipe, [...recipes.keys()]));
      const { levels, introductions = true, titles = introductions } = readRecipe();
      const source = sourceOf(text);
      const finders = prepare(recipe, levels, lang).map((make) => make(source));
      const files = levels.some((level) => 'diff' in level) ? source.diff().files : undefined;
      return { finders, introductions, titles, files };
    },
    problemOf: (recipe) => (recipes.has(recipe) ? undefined : unknownRecipe(recipe, [...recipes.keys()])),
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

/** The key of a language: `zh` for `zh-Hans-CN`, `default` for a language that is not listed. */
function knownLanguage(lang: string, languages: Languages): string {
  const primary = lang.toLowerCase().split(/[-_]/)[0] as string;
  return Object.hasOwn(languages, primary) ? primary : 'default';
}

function unknownRecipe(recipe: string, known: readonly string[]): string {
  const list = [...known].sort().join(', ');
  return `recipe: there is no recipe ${JSON.stringify(recipe)}; available: ${list}.`;
}

/**
 * Reads a JSON file at once, but reports its problems only when the content is needed.
 *
 * @param file path within the folder, with `/`
 * @returns a function that gives the content, or throws an error with the file, the position and the problem
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
  const position = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  return { problem: `, ${position}: this is not valid JSON, ${reason.replace(/ in JSON at .*/, '')}` };
}

function reasonAgainst(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Bisects for the offset where a text stops being the start of JSON. V8 reports this offset only for some errors. */
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

const recipeSchema = {
  type: 'object',
  required: ['levels'],
  properties: {
    levels: { type: 'array', items: levelSchema },
    introductions: { type: 'boolean' },
    titles: { type: 'boolean' },
  },
  additionalProperties: false,
} as const;

type Recipe = FromSchema<typeof recipeSchema>;
/** The content of `languages.json`. A language without delimiters of a kind uses the default delimiters. */
interface Languages {
  readonly default: Language;
  readonly [lang: string]: Partial<Language>;
}

const NO_LANGUAGES: Languages = { default: { sentence: [], clause: [] } };
