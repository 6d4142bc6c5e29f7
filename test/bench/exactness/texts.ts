import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { anyText } from '../../../server/testing/cases/texts.ts';
import { codeOf, proseOf } from '../../soak/texts.ts';
import { generateEnglish, generateMultilingual } from '../data/generated.ts';
import { scaled } from '../flags.ts';
import { dataTexts } from '../structure/data.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TEXTS = 'md,markdown,txt,js,ts,py,html,json,vtt';
/** Bytes of a file, and how many files of a folder are read at most. */
const [MIN_BYTES, MAX_BYTES] = [500, 60_000];
const FILES = scaled(150, 50);
const BYTES = 40_000;
const SEEDS = scaled(10, 4);

/** Kinds of texts, by name. */
export type Texts = Readonly<Record<string, readonly string[]>>;

/** What the tests generate and have, and files that people wrote: those of BENCH_DATA, or of the installed packages. */
export function readExactnessTexts(): Texts {
  const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const generated = [
    ...seeds.flatMap((seed) => [proseOf(BYTES, seed), codeOf(BYTES, seed)]),
    ...fc.sample(anyText, { numRuns: 10 * SEEDS, seed: 1 }),
    generateEnglish(BYTES),
    generateMultilingual(BYTES),
    ...Object.values(dataTexts(BYTES)),
  ];
  const folder = process.env.BENCH_DATA ?? join(ROOT, 'node_modules');
  return {
    generated: generated.map((text) => text.toWellFormed()).filter((text) => text.trim() !== ''),
    fixtures: filesOf(join(ROOT, 'test'), '{fixtures,eval,plugins,server}', TEXTS),
    real: filesOf(folder, '', 'md,txt,js'),
  };
}

/** Texts of files, each once; of many, as many of each ending, evenly spread over their paths. */
function filesOf(folder: string, below: string, endings: string): string[] {
  const all = endings.split(',').map((ending) => {
    const paths = globSync(join(below, `**/*.${ending}`), { cwd: folder }).sort();
    return spread(paths, FILES).map((path) => readFileSync(join(folder, path)));
  });
  const fitting = all.flat().filter(({ length }) => length >= MIN_BYTES && length <= MAX_BYTES);
  return [...new Set(fitting.map((bytes) => bytes.toString('utf8')))];
}

function spread<T>(values: readonly T[], most: number): T[] {
  const count = Math.min(values.length, most);
  return Array.from({ length: count }, (_, at) => values[Math.floor((at * values.length) / count)] as T);
}
