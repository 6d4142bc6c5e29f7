import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as linguist from 'linguist-languages';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import type { LanguageName, TemplateName } from '../../../../plugins/chunkers/code/manifest.ts';
import { DIALECTS } from '../../../../plugins/chunkers/code/templates/dialects.ts';

/** The file of names that `code` reads instead of linguist's package, which has those of all languages. */
export const NAMES_FILE = join(
  import.meta.dirname,
  '../../../../plugins/chunkers/code/detection/linguist.json',
);

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

interface Entry {
  readonly name: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
}

/** The names of files of each language, in lower case, separated by spaces. */
export function codeNames(): Record<string, string> {
  const entries = new Map((Object.values(linguist) as Entry[]).map((entry) => [entry.name, entry]));
  const rows = [...LANGUAGES, ...DIALECTS].map(({ name }) => {
    const found = (LINGUIST_NAMES[name] ?? [capitalised(name)]).map((one) => entries.get(one) as Entry);
    const names = found.flatMap(({ extensions = [], filenames = [] }) => [...extensions, ...filenames]);
    return [name, [...new Set(names.map((one) => one.toLowerCase()))].join(' ')] as const;
  });
  return Object.fromEntries(rows);
}

function capitalised(name: LanguageName | TemplateName): string {
  return (name[0] as string).toUpperCase() + name.slice(1);
}

// Run by itself, it writes the file, after an update of linguist-languages.
if (import.meta.main) writeFileSync(NAMES_FILE, `${JSON.stringify(codeNames(), undefined, 2)}\n`);
