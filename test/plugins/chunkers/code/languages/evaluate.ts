import { createDetector } from '../../../../../plugins/chunkers/code/detection/detect.ts';
import { printTable, printTitle } from '../../../../bench/race/report.ts';
import { type KnownFile, readKnownFiles } from './known-files.ts';

/** How the files of one language were seen. */
interface Tally {
  files: number;
  byText: number;
  byName: number;
  /** How many were taken for another language, by its name. */
  readonly mistaken: Map<string, number>;
}

/** Prints how often `language: auto` is right about the files of the folders, with and without their names. */
export async function evaluateLanguages(folders: readonly string[]): Promise<void> {
  const files = (await Promise.all(folders.map(readKnownFiles))).flat();
  if (files.length === 0)
    throw new Error(`no files whose extension tells their language in ${folders.join(', ')}`);
  const tallies = new Map<string, Tally>();
  const detect = createDetector();
  const milliseconds: number[] = [];
  for (const file of files) {
    const start = performance.now();
    const seen = await detect(file.text);
    milliseconds.push(performance.now() - start);
    count(tallies, file, seen.name, (await detect(file.text, file.path)).name);
  }
  printTitle(`Languages: ${files.length} files of at least 500 bytes whose extension tells the truth`);
  const sorted = [...tallies].sort(([one], [other]) => (one < other ? -1 : 1));
  const all = totalOf([...tallies.values()]);
  printTable(
    'Found by the text alone, and with the name of the file',
    ['', 'files', 'by text', '%', 'with name', '%', 'mistaken for'],
    [...sorted, ['all', all] as const].map(([name, tally]) => [name, ...figuresOf(tally)]),
  );
  const time = milliseconds.sort((one, other) => one - other);
  console.log(`Milliseconds by text: median ${at(time, 0.5)}, 99 of 100 within ${at(time, 0.99)}.`);
}

function count(tallies: Map<string, Tally>, { language }: KnownFile, byText: string, byName: string): void {
  const tally = tallies.get(language) ?? { files: 0, byText: 0, byName: 0, mistaken: new Map() };
  tallies.set(language, tally);
  tally.files++;
  if (byName === language) tally.byName++;
  if (byText === language) tally.byText++;
  else tally.mistaken.set(byText, (tally.mistaken.get(byText) ?? 0) + 1);
}

function totalOf(tallies: readonly Tally[]): Tally {
  const sum = (read: (tally: Tally) => number) => tallies.reduce((total, tally) => total + read(tally), 0);
  return {
    files: sum(({ files }) => files),
    byText: sum(({ byText }) => byText),
    byName: sum(({ byName }) => byName),
    mistaken: new Map(),
  };
}

function figuresOf({ files, byText, byName, mistaken }: Tally): string[] {
  const share = (right: number) => ((100 * right) / files).toFixed(1);
  const others = [...mistaken].sort(([, one], [, other]) => other - one).slice(0, 3);
  const list = others.map(([name, times]) => `${name} ${times}`).join(', ');
  return [`${files}`, `${byText}`, share(byText), `${byName}`, share(byName), list];
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
}
