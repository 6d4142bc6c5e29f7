import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flags } from '../flags.ts';
import { chartOf, SCHEMES } from './chart.ts';
import { readFigures } from './figures.ts';
import { measure } from './measure.ts';
import { pageOf } from './page.ts';
import { ENDURED, SECTIONS, SOURCES } from './sources.ts';

const ROOT = join(import.meta.dirname, '../../..');
const IMAGES = join(ROOT, '.github/images');

const PARTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(SOURCES).map((name) => [name, [name]])),
  ...Object.fromEntries(SECTIONS.map(({ name, views }) => [name, views.map(({ source }) => source)])),
  endurance: ENDURED.map(({ source }) => source),
  page: [],
};

/** Measures all, or the parts that `--only` names, and writes BENCHMARKS.md and its chart; `page` measures nothing. */
export async function writeReport(): Promise<void> {
  const parts = flags.only?.split(',') ?? Object.keys(SOURCES);
  const unknown = parts.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`);
    process.exit(2);
  }
  const named = new Set(parts.flatMap((part) => PARTS[part] ?? []));
  for (const name of Object.keys(SOURCES)) if (named.has(name)) await measure(name);
  const all = readFigures();
  writeFileSync(join(ROOT, 'BENCHMARKS.md'), pageOf(all));
  mkdirSync(IMAGES, { recursive: true });
  for (const scheme of SCHEMES) writeFileSync(join(IMAGES, `benchmark-${scheme}.svg`), chartOf(all, scheme));
}
