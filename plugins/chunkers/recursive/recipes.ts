import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CutFinder } from '../../../core/contracts/chunker.ts';
import type { DelimiterSide } from '../../../core/engine/delimiters.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Kit } from '../../../core/kit.ts';

/**
 * A recipe is a JSON file `recipes/<name>.json`: `{ "levels": [...] }`, the coarsest first. A level is one
 * of: literal `delimiters` (with `include_delim`, `prev` or `next`); `line_starts`, which cut before a line
 * that begins so; the `sentence` or `clause` ends of the request's `language`; `white_space`.
 */
type Level =
  | { readonly delimiters: readonly string[]; readonly include_delim?: DelimiterSide }
  | { readonly line_starts: readonly string[] }
  | { readonly language: keyof Language }
  | { readonly white_space: true };

/** Delimiters of one language, as `languages.json` lists them. */
interface Language {
  readonly sentence: readonly string[];
  readonly clause: readonly string[];
}

export interface Recipes {
  /**
   * The cut finders of a recipe in a language, the coarsest first; made once for each pair.
   * @throws ServiceError `invalid_parameters` naming the known recipes
   */
  finders(recipe: string, lang: string): readonly CutFinder[];
}

const FOLDER = join(import.meta.dirname, 'recipes');
const LANGUAGES = join(import.meta.dirname, 'languages.json');

export function loadRecipes(kit: Kit): Recipes {
  const { fallback, languages } = readLanguages();
  const recipes = readRecipes();
  const made = new Map<string, readonly CutFinder[]>();
  return {
    finders(recipe, lang) {
      const levels = recipes.get(recipe);
      if (levels === undefined) throw unknownRecipe(recipe, [...recipes.keys()]);
      const known = knownLanguage(lang, languages);
      const key = `${recipe} ${known}`;
      const language = languages.get(known) ?? fallback;
      const finders = made.get(key) ?? levels.map((level) => finderOf(level, language, kit));
      made.set(key, finders);
      return finders;
    },
  };
}

function readLanguages(): { fallback: Language; languages: ReadonlyMap<string, Language> } {
  const { default: fallback, ...others } = readJson(LANGUAGES) as { default: Language } & Record<
    string,
    Partial<Language>
  >;
  const languages = new Map(Object.entries(others).map(([lang, own]) => [lang, { ...fallback, ...own }]));
  return { fallback, languages };
}

function readRecipes(): ReadonlyMap<string, readonly Level[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(files.map(readRecipe));
}

function readRecipe(file: string): [name: string, levels: readonly Level[]] {
  const { levels } = readJson(join(FOLDER, file)) as { levels: readonly Level[] };
  return [file.slice(0, -'.json'.length), levels];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The language as it is listed: `zh` for `zh-Hans-CN`; empty if it is not. */
function knownLanguage(lang: string, languages: ReadonlyMap<string, Language>): string {
  const primary = lang.toLowerCase().split(/[-_]/)[0] as string;
  return languages.has(primary) ? primary : '';
}

function finderOf(level: Level, language: Language, kit: Kit): CutFinder {
  if ('delimiters' in level) return kit.cutAtDelimiters(level.delimiters, level.include_delim);
  if ('line_starts' in level) return kit.cutAtLineStarts(level.line_starts);
  if ('language' in level) return kit.cutAtDelimiters(language[level.language]);
  return kit.cutAtWhiteSpace;
}

function unknownRecipe(recipe: string, known: readonly string[]): ServiceError {
  const list = [...known].sort().join(', ');
  const problems = `recipe: there is no recipe ${JSON.stringify(recipe)}; known are ${list}.`;
  return new ServiceError('invalid_parameters', { problems });
}
