import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ReadFile } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
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
