import t from 'tap';
import type { Timings, WorkStage } from '../../../../server/engine/answer/response-metadata.ts';
import { NO_TOTALS } from '../../../../server/engine/answer/response-metadata.ts';
import { Throughput } from '../../../../server/engine/run/stream.ts';

const MEGABYTE = 1_000_000;
const chunker = (name: string) => ({ kind: 'chunker', name });

function timings(seconds: Partial<Record<WorkStage, number>>): Timings {
  const stages = Object.entries(seconds) as [WorkStage, number][];
  const times = stages.map(([stage, seconds]) => ({ stage, by: 'x', seconds }));
  return { times, documents: 1, chunks: 1, tokens: 1, opened: [], totals: NO_TOTALS };
}

const rounded = (seconds = 0) => Math.round(seconds * 1000) / 1000;

t.test('work is expected to take as long as it took, without reading and writing', async (t) => {
  const rate = new Throughput().of([chunker('recursive')]);
  t.equal(rate.expect(MEGABYTE), undefined);
  rate.note(MEGABYTE, timings({ parse: 5, chunk: 1, refine: 1, serialise: 7 }));
  t.equal(rounded(rate.expect(2 * MEGABYTE)), 4);
  rate.note(MEGABYTE, timings({ chunk: 4 }));
  const expected = rate.expect(MEGABYTE) ?? 0;
  t.ok(2 < expected && expected < 4, 'newer answers count for more, and not for all');
  rate.note(10, timings({ chunk: 1 }));
  t.ok((rate.expect(MEGABYTE) ?? 0) < 2 * expected + 5, 'small ones count for little');
});

t.test('a chunker, a refinery and pipelines have a rate each', async (t) => {
  const throughput = new Throughput();
  const works = [
    [chunker('recursive')],
    [{ kind: 'refinery', name: 'recursive' }],
    [chunker('recursive'), chunker('code')],
  ];
  for (const [index, plugins] of works.entries())
    throughput.of(plugins).note(MEGABYTE, timings({ chunk: 1 + index }));
  const expected = works.map((plugins) => rounded(throughput.of(plugins).expect(MEGABYTE)));
  t.same(expected, [1, 2, 3]);
});

t.test('what is kept has an end', async (t) => {
  const throughput = new Throughput();
  const rates = Array.from({ length: 1001 }, (_, index) => throughput.of([chunker(`c${index}`)]));
  for (const rate of rates) rate.note(MEGABYTE, timings({ chunk: 1 }));
  const known = rates.filter((rate) => rate.expect(MEGABYTE) !== undefined);
  t.ok(known.length > 0 && known.length <= 1000, `${known.length}`);
});
