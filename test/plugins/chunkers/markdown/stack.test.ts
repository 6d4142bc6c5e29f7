import t from 'tap';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const { service } = await composeQuietly();
const chunk = (text: string, options: object) =>
  runTask(service, { run: 'chunk', name: 'markdown' }, { text, ...options });

t.test('5 MB of what nests without end overflow no stack', async (t) => {
  for (const shape of [
    'quotes in one line',
    'lists in one line',
    'footnotes in footnotes',
    'blocks of HTML',
  ]) {
    const { bytes } = await chunk((HOSTILE_SHAPES[shape] as (length: number) => string)(5_000_000), {
      chunk_size: 4096,
    });
    t.ok(bytes.length > 5_000_000, shape);
  }
});
