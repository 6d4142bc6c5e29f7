import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CutFinder } from '../../../core/contracts/chunker.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import { ServiceError } from '../../../core/errors.ts';
import { createFileReader, type FileReader, type Read } from './files.ts';
import {
  type Language,
  type Level,
  languageSchema,
  type MakeFinder,
  prepareLevel,
  problemOfLevel,
  recipeSchema,
} from './levels.ts';
import { findMarkdownCuts, type MarkdownCuts } from './markdown.ts';

/** The recipes of a folder: files `recipes/<name>.json`, and `languages.json`. */
export interface Recipes {
  /**
   * The cut finders of a recipe for a text in a language, the coarsest first.
   *
   * @throws ServiceError `invalid_parameters` naming the known recipes, or an exposed error that says what is wrong
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

/** Reads all files at once. One that is malformed is logged, and only a request that needs it fails. */
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
      if (levels === undefined) throw unknownRecipe(recipe, [...recipes.keys()]);
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

/** The language as it is listed: `zh` for `zh-Hans-CN`; empty if it is not. */
function knownLanguage(lang: string, languages: ReadonlyMap<string, Language>): string {
  const primary = lang.toLowerCase().split(/[-_]/)[0] as string;
  return languages.has(primary) ? primary : '';
}

function unknownRecipe(recipe: string, known: readonly string[]): ServiceError {
  const list = [...known].sort().join(', ');
  const problems = `recipe: there is no recipe ${JSON.stringify(recipe)}; known are ${list}.`;
  return new ServiceError('invalid_parameters', { problems });
}
