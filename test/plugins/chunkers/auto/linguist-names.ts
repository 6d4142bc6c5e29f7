import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as languages from 'linguist-languages';

/** The file of names that `auto` reads instead of linguist's modules, one for each language: loading all takes a second. */
export const NAMES_FILE = join(import.meta.dirname, '../../../../plugins/chunkers/auto/linguist.json');

interface Entry {
  readonly name: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
}

/** The names of files of each language: extensions, whole names after `/`, programs in the first line after `#!`. */
export function linguistNames(): Record<string, string> {
  const entries = (Object.values(languages) as Entry[]).sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = entries.map(({ name, extensions = [], filenames = [], interpreters = [] }) => {
    const names = [
      ...extensions,
      ...filenames.map((file) => `/${file}`),
      ...interpreters.map((one) => `#!${one}`),
    ];
    return [name, names.join(' ').toLowerCase()] as const;
  });
  return Object.fromEntries(rows.filter(([, names]) => names !== ''));
}

// Run by itself, it writes the file, after an update of linguist-languages.
if (import.meta.main) writeFileSync(NAMES_FILE, `${JSON.stringify(linguistNames(), undefined, 2)}\n`);
