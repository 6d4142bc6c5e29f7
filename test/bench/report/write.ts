import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flags } from '../flags.ts';
import { printTable, printTitle } from '../race/report.ts';
import { chartOf, SCHEMES } from './chart.ts';
import { check } from './check.ts';
import { keepFigures, readFigures } from './figures.ts';
import { commandOf, measure } from './measure.ts';
import { pageOf } from './page.ts';
import { ENDURED, SECTIONS, SOURCES, type Source } from './sources.ts';

const ROOT = join(import.meta.dirname, '../../..');
const IMAGES = join(ROOT, '.github/images');

const PARTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(SOURCES).map((name) => [name, [name]])),
  ...Object.fromEntries(SECTIONS.map(({ name, views }) => [name, views.map(({ source }) => source)])),
  endurance: ENDURED.map(({ source }) => source),
  page: [],
};

/**
 * Measures all, or the parts that `--only` names, and writes BENCHMARKS.md and its chart after each; `page` measures
 * nothing. What fails keeps its former figures, of which the page says when they were measured. With `--check` it only
 * compares what is measured with the page.
 */
export async function writeReport(): Promise<void> {
  const parts = flags.only?.split(',') ?? Object.keys(SOURCES);
  const unknown = parts.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`);
    process.exit(2);
  }
  const named = new Set(parts.flatMap((part) => PARTS[part] ?? []));
  const names = Object.keys(SOURCES).filter((name) => named.has(name));
  const rows: string[][] = [];
  const failed: string[] = [];
  for (const [at, name] of names.entries()) {
    const { folder } = SOURCES[name] as Source;
    if (folder !== undefined && !existsSync(join(ROOT, folder))) {
      rows.push([name, `left out: there is no ${folder}`, clock()]);
      continue;
    }
    const before = readFigures().get(name);
    const last = before === undefined ? '' : `, ${before.seconds} s the last time`;
    printTitle(`${clock()}, ${at + 1} of ${names.length}${last}: ${commandOf(name)}`);
    const figures = await measure(name);
    rows.push([name, figures === undefined ? 'failed' : `${figures.seconds} s`, clock()]);
    if (figures === undefined) failed.push(name);
    else if (flags.check) check(before, figures);
    else keepFigures(figures);
    if (!flags.check) writePage();
  }
  if (names.length === 0) writePage();
  else printTable('Parts of the report', ['', 'took', 'until'], rows);
  if (failed.length === 0) return;
  process.exitCode = 1;
  console.error(`Again: npm run bench -- report --only ${failed.join(',')}`);
}

const clock = (): string => new Date().toTimeString().slice(0, 8);

function writePage(): void {
  const all = readFigures();
  writeFileSync(join(ROOT, 'BENCHMARKS.md'), pageOf(all));
  mkdirSync(IMAGES, { recursive: true });
  for (const scheme of SCHEMES) writeFileSync(join(IMAGES, `benchmark-${scheme}.svg`), chartOf(all, scheme));
}
