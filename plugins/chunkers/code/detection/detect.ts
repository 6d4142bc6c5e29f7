import { findLanguage, type Language } from '../languages.ts';
import type { LanguageName } from '../manifest.ts';
import { type FileNames, loadFileNames } from './file-names.ts';
import { amongKin } from './kin.ts';
import { type Guess, loadModel, type Model } from './model.ts';
import { languagesByOpening } from './openings.ts';
import { languageAtSight } from './sight.ts';

/** Finds the language of a text, by its file's name if that is given and says something, else by the text alone. */
export type Detect = (text: string, fileName?: string) => Promise<Language>;

/** The language of short texts that look like none: of fewer characters, and less likely than this. */
const FALLBACK: LanguageName = 'python';
const SHORT = 200;
const UNLIKELY = 0.35;

/** The model and the table of file names are loaded at their first use. */
export function createDetector(): Detect {
  let model: Promise<Model> | undefined;
  let fileNames: Promise<FileNames> | undefined;

  async function byName(text: string, fileName: string): Promise<Language | undefined> {
    fileNames ??= loadFileNames();
    const languages = (await fileNames).languagesOf(fileName);
    if (languages.length < 2) return languages[0];
    return byText(text, languages);
  }

  async function byText(text: string, named?: readonly Language[]): Promise<Language> {
    const seen = languageAtSight(text);
    if (seen !== undefined && named?.includes(seen) !== false) return seen;
    const among = named ?? languagesByOpening(text)?.map(languageNamed);
    model ??= loadModel();
    const guesses = (await model).guess(text);
    if (among === undefined) return languageNamed(likeliest(guesses, text));
    const possible = guesses.filter(({ name }) => among.includes(languageNamed(name)));
    const kin = languageNamed(amongKin(possible, text));
    return among.includes(kin) ? kin : languageNamed((possible[0] as Guess).name);
  }

  return async (text, fileName) =>
    (fileName === undefined ? undefined : await byName(text, fileName)) ?? byText(text);
}

function likeliest(guesses: readonly Guess[], text: string): LanguageName {
  const isUnlikely = (guesses[0] as Guess).probability < UNLIKELY;
  return text.length < SHORT && isUnlikely ? FALLBACK : amongKin(guesses, text);
}

function languageNamed(name: LanguageName): Language {
  return findLanguage(name) as Language;
}
