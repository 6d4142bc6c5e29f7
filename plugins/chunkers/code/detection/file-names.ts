import { LANGUAGES, type Language } from '../languages.ts';
import type { LanguageName, TemplateName } from '../manifest.ts';
import { DIALECTS, type Dialect } from '../templates/dialects.ts';

/**
 * The languages whose files have such a name, as GitHub's linguist knows them, in no order: several for `.h`, none if
 * it is unknown.
 */
export type LanguagesOf = (fileName: string) => readonly (Language | Dialect)[];

/** Linguist's names of languages that it does not just capitalise, or divides. */
const LINGUIST_NAMES: Readonly<Partial<Record<LanguageName | TemplateName, readonly string[]>>> = {
  bash: ['Shell'],
  cpp: ['C++'],
  csharp: ['C#'],
  css: ['CSS', 'SCSS'],
  erb: ['HTML+ERB', 'EJS'],
  handlebars: ['Handlebars', 'Mustache'],
  html: ['HTML'],
  javascript: ['JavaScript'],
  jinja: ['Jinja', 'Nunjucks', 'Twig', 'Liquid'],
  json: ['JSON', 'JSON with Comments'],
  php: ['PHP'],
  sql: ['SQL', 'PLpgSQL', 'PLSQL', 'TSQL'],
  toml: ['TOML'],
  tsx: ['TSX'],
  typescript: ['TypeScript'],
  yaml: ['YAML'],
};

/** Linguist's entry of a language; extensions begin with a full stop. */
type LinguistLanguage = Readonly<Partial<Record<'extensions' | 'filenames', readonly string[]>>>;

/** Loads linguist's data only for the languages of the table. */
export async function loadFileNames(): Promise<LanguagesOf> {
  const names = new Map<string, Set<Language | Dialect>>();
  for (const language of [...LANGUAGES, ...DIALECTS]) {
    for (const linguistName of LINGUIST_NAMES[language.name] ?? [capitalised(language.name)]) {
      const { extensions = [], filenames = [] } = await loadLanguage(linguistName);
      for (const name of [...extensions, ...filenames].map((name) => name.toLowerCase())) {
        names.set(name, (names.get(name) ?? new Set()).add(language));
      }
    }
  }
  return (fileName) => [...(entryOf(names, fileName) ?? [])];
}

/** The entry of the whole name or of its longest known extension. */
function entryOf<Found>(names: ReadonlyMap<string, Found>, fileName: string): Found | undefined {
  const name = (fileName.split(/[/\\]/).at(-1) as string).toLowerCase();
  for (let at = 0; at >= 0; at = name.indexOf('.', at + 1)) {
    const found = names.get(name.slice(at));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Each language is a module, whose name is encoded like a URL with `_` for `%`. */
async function loadLanguage(name: string): Promise<LinguistLanguage> {
  const file = encodeURIComponent(name).replace(/%(..)/g, (_, code: string) => `_${code.toLowerCase()}_`);
  return ((await import(`linguist-languages/data/${file}`)) as { default: LinguistLanguage }).default;
}

function capitalised(name: LanguageName | TemplateName): string {
  return (name[0] as string).toUpperCase() + name.slice(1);
}
