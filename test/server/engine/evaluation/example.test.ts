import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  countedScores,
  type EvaluatedCandidate,
  type Evaluation,
  type Stretch,
} from '../../../support/evaluation.ts';
import { needs } from '../../../support/here.ts';
import { openService } from '../../../support/service.ts';

/** The worked example of the guide: its figures by hand, by counting, and as the service answers. */

const guide = readFileSync(join(import.meta.dirname, '../../../../server/EVALUATION.md'), 'utf8');
const [, request = '', shown = ''] = /--json '(.*)'\n(.*)\n/.exec(guide) ?? [];

const byHand = guide.slice(guide.indexOf('\nBy hand')).split('\n');

/** A row of the table by hand: its value for each candidate. */
function row(name: string): string[] {
  const cells = byHand.find((one) => one.startsWith(`| ${name} |`))?.split('|') ?? [];
  return cells.slice(2, -1).map((cell) => cell.trim());
}

const stretches = (cell: string | undefined): Stretch[] =>
  (cell ?? '').split(', ').map((one) => one.split('-').map(Number) as unknown as Stretch);

/** The value of `18/(23+40-18)`. */
function fraction(cell = ''): number {
  const [part = 0, ...of] = cell.split(/[/()]+/).filter((one) => one !== '');
  const whole = of[0]?.match(/[+-]?\d+/g)?.reduce((sum, one) => sum + Number(one), 0) ?? Number.NaN;
  return Math.round((1e6 * Number(part)) / whole) / 1e6;
}

const NEEDED = needs('chunker/sentence', 'embedding/static', 'tokenizer/huggingface');

t.test('its scores are those of counting, and those of the table by hand', async (t) => {
  const { candidates } = JSON.parse(shown) as Evaluation;
  const [{ start_index, end_index }] = JSON.parse(request).questions[0].answers;
  t.equal(candidates.length, 2);
  for (const [at, { questions, ...means }] of candidates.entries()) {
    const [question] = questions as [EvaluatedCandidate['questions'][number]];
    const found = question.found.map((one): Stretch => [one.start_index, one.end_index]);
    t.same(found, stretches(row('found')[at]));
    const counted = countedScores([[start_index, end_index]], found, stretches(row('chunks')[at]));
    for (const [name, value] of Object.entries(counted)) {
      t.equal(fraction(row(`\`${name}\``)[at]), value, `${name} by hand`);
      t.match(question, { [name]: value });
      t.match(means, { [name]: value });
    }
  }
});

t.test('the service answers what is shown, with the chunks of the table', NEEDED, async (t) => {
  const client = await openService(t);
  t.same((await client.post('/v1/evaluate', request)).json(), JSON.parse(shown));
  const { documents, candidates } = JSON.parse(request);
  for (const [at, { chunker, config }] of candidates.entries()) {
    const chunks = await client.chunk(chunker, { text: documents[0].text, ...config });
    const places = chunks.map((chunk) => [chunk.start_index, chunk.end_index]);
    t.same(places, stretches(row('chunks')[at]));
  }
});
