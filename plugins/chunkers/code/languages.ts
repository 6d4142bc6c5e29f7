import type { LanguageName } from './manifest.ts';
import { ROWS } from './rows.ts';
import type { Language, Rules } from './rules.ts';

export type { Language, Rules } from './rules.ts';

const NO_RULES: Rules = {
  worded: [],
  units: {},
  spaces: {},
  wrappers: [],
  leads: [],
  tails: [],
  openings: [],
  closings: [],
  flat: [],
  containers: [],
  groups: [],
  calls: [],
  names: {},
};

/** How the elements and blocks of templates are cut. */
export const MARKUP: Rules = {
  ...NO_RULES,
  spaces: { element: '', block: '', front_matter: '' },
  openings: ['start'],
  closings: ['end'],
};

/** All languages, sorted by name. */
export const LANGUAGES: readonly Language[] = (Object.keys(ROWS) as LanguageName[]).map((name) => ({
  name,
  aliases: [],
  isBundled: false,
  grammar: name,
  ...NO_RULES,
  ...ROWS[name],
}));

const BY_NAME: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) =>
    [language.name, ...language.aliases].map((name): [string, Language] => [name, language]),
  ),
);

/** The language with a name or an alias, case-insensitively. */
export function findLanguage(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
