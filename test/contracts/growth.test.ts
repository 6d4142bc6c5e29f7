import t from 'tap';
import { growthRequests, SHAPES } from '../../server/testing/cases/growth-shapes.ts';
import { unlessRefused } from '../../server/testing/ledger.ts';
import { startBlockCounter } from '../support/executed-blocks.ts';
import { composeQuietly, runTask } from '../support/service.ts';

/** `npm run test:soak -- growth` measures time, on longer texts. */

const SMALL = 2000;
const FACTOR = 16;
/** Quadratic work would be FACTOR squared; n log n is a third more than FACTOR. */
const MOST_GROWTH = FACTOR * 1.5;

const { registry, service } = await composeQuietly();
const counter = await startBlockCounter();
t.teardown(() => counter.stop());

/** The least of two runs: the first one may load or compile something. */
async function leastWork(work: () => unknown): Promise<number> {
  return Math.min(await counter.count(work), await counter.count(work));
}

for (const { manifest } of registry.ofKind('chunker').filter(({ missing }) => missing.length === 0)) {
  t.test(`${manifest.name} does work linear in the text`, async (t) => {
    for (const [shape, make] of Object.entries(SHAPES)) {
      for (const options of growthRequests(manifest.options?.properties)) {
        const workOf = (length: number) => {
          const body = Buffer.from(JSON.stringify({ text: make(length), ...options }));
          const task = { run: 'chunk', name: manifest.name } as const;
          return leastWork(() => unlessRefused(runTask(service, task, body)));
        };
        const small = await workOf(SMALL);
        const growth = (await workOf(SMALL * FACTOR)) / small;
        t.ok(
          growth < MOST_GROWTH,
          `${shape} ${JSON.stringify(options)}: ${growth.toFixed(1)} times the work for ${FACTOR} times the text`,
        );
      }
    }
  });
}

t.test('the counter sees work that grows with the square of a text', async (t) => {
  const compareAll = (text: string) => {
    let same = 0;
    for (const one of text) for (const other of text) if (one === other) same++;
    return same;
  };
  const small = await leastWork(() => compareAll('a'.repeat(200)));
  const large = await leastWork(() => compareAll('a'.repeat(200 * FACTOR)));
  t.ok(large / small > MOST_GROWTH, `${(large / small).toFixed(1)} times the work`);
});
