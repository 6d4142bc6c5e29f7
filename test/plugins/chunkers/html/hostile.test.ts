import t from 'tap';
import { checkLinearWork } from '../../../support/linear-work.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

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

t.test('the work is linear in the text, however it is nested or broken', (t) =>
  checkLinearWork(t, HOSTILE_SHAPES, REQUESTS, chunk),
);
