import t from 'tap';
import { Pace } from '../../../server/run/pace.ts';
import type { ChunksTask } from '../../../server/service/tasks.ts';
import type { Timings, WorkStage } from '../../../server/service/timings.ts';

const MEGABYTE = 1_000_000;
const recursive: ChunksTask = { run: 'chunk', name: 'recursive' };
const pipeline = (...chunkers: string[]): ChunksTask => ({
  run: 'execute',
  steps: chunkers.map((chunker) => ({ type: 'chunk' as const, chunker, refinery: null, config: {} })),
});

function timings(seconds: Partial<Record<WorkStage, number>>): Timings {
  const stages = Object.entries(seconds) as [WorkStage, number][];
  const times = stages.map(([stage, seconds]) => ({ stage, by: 'x', seconds }));
  return { times, documents: 1, chunks: 1, tokens: 1, opened: [], emptyVectors: 0 };
}

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;

t.test('work is expected to take as long as it took, without reading and writing', async (t) => {
  const pace = new Pace();
  pace.note(recursive, 65_535, timings({ chunk: 9 }));
  t.equal(pace.expect(recursive, MEGABYTE), 0, 'small requests teach nothing');
  pace.note(recursive, MEGABYTE, timings({ parse: 5, chunk: 1, refine: 1, serialise: 7 }));
  t.equal(rounded(pace.expect(recursive, 2 * MEGABYTE)), 4);
  pace.note(recursive, MEGABYTE, timings({ chunk: 4 }));
  const expected = pace.expect(recursive, MEGABYTE);
  t.ok(2 < expected && expected < 4, 'newer answers count for more, and not for all');
});

t.test('a chunker, a refinery and pipelines have a pace each', async (t) => {
  const pace = new Pace();
  const overlap: ChunksTask = { run: 'refine', name: 'overlap' };
  const tasks = [recursive, overlap, pipeline('recursive'), pipeline('recursive', 'code')];
  for (const [index, task] of tasks.entries()) pace.note(task, MEGABYTE, timings({ chunk: 1 + index }));
  t.same(
    tasks.map((task) => rounded(pace.expect(task, MEGABYTE))),
    [1, 2, 3, 4],
  );
  t.equal(rounded(pace.expect({ run: 'refine', name: 'recursive' }, MEGABYTE)), 0);
});

t.test('what is kept has an end', async (t) => {
  const pace = new Pace();
  const names = Array.from({ length: 1001 }, (_, index) => `c${index}`);
  for (const name of names) pace.note(pipeline(name), MEGABYTE, timings({ chunk: 1 }));
  const known = names.filter((name) => pace.expect(pipeline(name), MEGABYTE) > 0);
  t.ok(known.length > 0 && known.length <= 1000, `${known.length}`);
});
