import t from 'tap';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const SMALL = 2000;
const FACTOR = 8;
/** Quadratic work would be FACTOR squared. */
const MOST_GROWTH = FACTOR * 1.6;

const { service } = await composeQuietly();
const REQUESTS = [
  { chunk_size: 40, carry: ['headings', 'header'], count_context: true },
  { chunk_size: 3, split_level: 6, oversize: 'keep', skip: ['i', 'section', 'svg'] },
];

const chunk = (text: string, options: object = {}) =>
  runTask(service, { run: 'chunk', name: 'html' }, { text, ...options });

// Counting makes what comes behind it slow.
t.test('5 MB of endless nesting overflow no stack', async (t) => {
  for (const shape of ['nested div with text', 'nested tables', 'nested sections with headings']) {
    const text = HOSTILE_SHAPES[shape]?.(5e6) ?? '';
    t.ok(text.length > 4e6, shape);
    await chunk(text, { chunk_size: 100_000 });
  }
});

t.test('the work is linear in the text, however it is nested or broken', async (t) => {
  const counter = await startBlockCounter();
  t.teardown(() => counter.stop());
  const workOf = (text: string) =>
    counter.count(async () => {
      for (const options of REQUESTS) await chunk(text, options);
    });
  await workOf('<p>What is loaded once</p>');
  for (const [shape, make] of Object.entries(HOSTILE_SHAPES)) {
    const small = await workOf(make(SMALL));
    const growth = (await workOf(make(SMALL * FACTOR))) / small;
    t.ok(growth < MOST_GROWTH, `${shape}: ${growth.toFixed(1)} times the work`);
  }
});
