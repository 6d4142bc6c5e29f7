import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ReadFile } from '../../../../core/contracts/reader.ts';
import { type Row, rowWith } from '../../../../plugins/readers/pdf/columns.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { linesOf } from '../../../../plugins/readers/pdf/lines.ts';
import type { Run } from '../../../../plugins/readers/pdf/page.ts';
import { problemOfPlaces } from '../../../../server/engine/read/places.ts';
import { readWith } from '../reading.ts';
import { manyRuns } from './support/hostile.ts';

/** Small PDFs; those of a whole folder are tested with `PDF_SAMPLES=FOLDER`. */
const FOLDER = process.env.PDF_SAMPLES ?? join(import.meta.dirname, '../../../fixtures/pdf');

/** Letters that are in no place with a box. */
function lettersWithoutBox({ text, places = [] }: ReadFile): number {
  let [end, outside] = [0, 0];
  const count = (from: number, to: number) => text.slice(from, to).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  for (const place of places) {
    if (place.box === undefined) continue;
    outside += count(end, place.start);
    end = Math.max(end, place.end);
  }
  return outside + count(end, text.length);
}

t.test('places rise, and have every letter in a box', async (t) => {
  const files = globSync('**/*.pdf', { cwd: FOLDER }).map((name) => join(FOLDER, name));
  const read = [];
  for (const file of files) {
    const answer = await readWith(createReader, readFileSync(file)).catch(({ statusCode }) => statusCode);
    if (typeof answer === 'number') t.equal(answer, 400, file);
    else read.push({ file, answer });
  }
  for (const { file, answer } of [
    ...read,
    { file: 'runs', answer: await readWith(createReader, manyRuns(2000)) },
  ]) {
    t.equal(problemOfPlaces(answer.places ?? [], answer.text), undefined, file);
    t.equal(lettersWithoutBox(answer), 0, file);
    t.ok(answer.text.isWellFormed(), file);
  }
  t.ok(read.length > 0);
});

const run = (x: number, y: number): Run => ({
  text: 'word',
  ...{ x0: x, x1: x + 20, y0: y - 8, y1: y + 2, base: y, size: 10 },
  font: 'F',
  isMono: false,
  block: undefined,
});

const SHAPES: Readonly<Record<string, (index: number) => Run>> = {
  'one row': (index) => run(index * 40, 100),
  'one row, close': (index) => run(index * 0.01, 100),
  diagonal: (index) => run((index * 7.3) % 600, index * 0.01),
  grid: (index) => run((index % 40) * 30, Math.floor(index / 40) * 12),
  'one place': () => run(100, 100),
  scattered: (index) => run((index * 7919) % 600, (index * 104_729) % 800),
};

/** The least seconds of some attempts to find the lines of this many runs. */
function seconds(shape: (index: number) => Run, count: number): number {
  const runs = Array.from({ length: count }, (_, index) => shape(index));
  const page = { number: 1, width: 600, height: 800, figures: [], runs: new Map([[0, runs]]) };
  const attempts = [1, 2, 3].map(() => {
    const start = performance.now();
    linesOf(page);
    return (performance.now() - start) / 1000;
  });
  return Math.min(...attempts);
}

t.test('ten times the runs cost about ten times as much, however they lie', async (t) => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    seconds(shape, 2000);
    const [few, many] = [seconds(shape, 15_000), seconds(shape, 150_000)];
    t.ok(many < 30 * few + 0.2, `${name}: ${few} and ${many} s`);
  }
});

t.test('a row is as high as its largest run', async (t) => {
  const row: Row = rowWith(run(0, 100));
  t.match(row, { x0: 0, x1: 20, y0: 92, y1: 102, base: 100, size: 10 });
});
