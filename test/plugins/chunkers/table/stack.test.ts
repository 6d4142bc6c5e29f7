import t from 'tap';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const { service } = await composeQuietly();

const run = (name: string, length: number, options: object) =>
  runTask(
    service,
    { run: 'chunk', name: 'table' },
    { text: (HOSTILE_SHAPES[name] as (length: number) => string)(length), ...options },
  );

t.test('5 MB overflow no stack', async (t) => {
  for (const name of [
    'one line',
    'odd and even quotes',
    'tables that nest',
    'cells of HTML',
    'rows of delimiters',
  ])
    t.ok((await run(name, 5e6, { chunk_size: 4096 })).bytes.length > 4.9e6, name);
});
