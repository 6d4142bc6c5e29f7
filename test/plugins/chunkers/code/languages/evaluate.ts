import { createDetector } from '../../../../../plugins/chunkers/code/detection/detect.ts';
import { printTable, printTitle } from '../../../../bench/race/report.ts';
import { quantile } from '../../../../bench/race/statistics.ts';
import { readKnownFiles } from './known-files.ts';

/** How the files of one language were seen. */
interface Tally {
  files: number;
  byText: number;
  byName: number;
  /** What others were taken for. */
  readonly mistaken: string[];
}

/** Prints how often `language: auto` is right about the files of the folders, with and without their names. */
export async function evaluateLanguages(folders: readonly string[]): Promise<void> {
  const files = (await Promise.all(folders.map(readKnownFiles))).flat();
  if (files.length === 0)
    throw new Error(`no files whose extension tells their language in ${folders.join(', ')}`);
  const tallies: Record<string, Tally> = {};
  const detect = createDetector();
  const milliseconds: number[] = [];
  for (const { text, path, language } of files) {
    const start = performance.now();
    const seen = await detect(text);
    milliseconds.push(performance.now() - start);
    tallies[language] ??= { files: 0, byText: 0, byName: 0, mistaken: [] };
    count(tallies[language], language, seen.name, (await detect(text, path)).name);
  }
  printTitle(`Languages: ${files.length} files of at least 500 bytes whose extension tells the truth`);
  const sorted = Object.entries(tallies).sort(([one], [other]) => (one < other ? -1 : 1));
  printTable(
    'Found by the text alone, and with the name of the file',
    ['', 'files', 'by text', '%', 'with name', '%', 'mistaken for'],
    [...sorted, ['all', totalOf(Object.values(tallies))] as const].map(figuresOf),
  );
  const [half, most] = [0.5, 0.99].map((share) => quantile(milliseconds, share).toFixed(2));
  console.log(`Milliseconds by text: median ${half}, 99 of 100 within ${most}.`);
}

function count(tally: Tally, language: string, byText: string, byName: string): void {
  tally.files++;
  if (byName === language) tally.byName++;
  if (byText === language) tally.byText++;
  else tally.mistaken.push(byText);
}

function totalOf(tallies: readonly Tally[]): Tally {
  const sum = (name: 'files' | 'byText' | 'byName') =>
    tallies.reduce((total, tally) => total + tally[name], 0);
  return { files: sum('files'), byText: sum('byText'), byName: sum('byName'), mistaken: [] };
}

function figuresOf([language, { files, byText, byName, mistaken }]: readonly [string, Tally]): string[] {
  const share = (right: number) => ((100 * right) / files).toFixed(1);
  const others = Object.entries(Object.groupBy(mistaken, (name) => name));
  const counts = others.map(([name, all]) => [name, all?.length ?? 0] as const);
  const most = counts.sort(([, one], [, other]) => other - one).slice(0, 3);
  const list = most.map((counted) => counted.join(' ')).join(', ');
  return [language, `${files}`, `${byText}`, share(byText), `${byName}`, share(byName), list];
}
