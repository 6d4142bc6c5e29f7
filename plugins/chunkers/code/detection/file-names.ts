import { LANGUAGES, type Language } from '../languages.ts';
import { DIALECTS, type Dialect } from '../templates/dialects.ts';
import LINGUIST from './linguist.json' with { type: 'json' };

/**
 * The languages whose files have such a name, as GitHub's linguist knows them, in no order: several for `.h`, none if
 * it is unknown.
 */
export type LanguagesOf = (fileName: string) => readonly (Language | Dialect)[];

/** Extensions, which begin with a full stop, and whole names, by language: `write-linguist.ts` of the tests writes them. */
const NAMES: Readonly<Record<string, string>> = LINGUIST;

/** Indexes linguist's names of files. */
export function indexFileNames(): LanguagesOf {
  const names = new Map<string, Set<Language | Dialect>>();
  for (const language of [...LANGUAGES, ...DIALECTS]) {
    for (const name of (NAMES[language.name] as string).split(' ')) {
      names.set(name, (names.get(name) ?? new Set()).add(language));
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
