import t from 'tap';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES, optionsFor } from './hostile-shapes.ts';

const { service } = await composeQuietly();

const run = (name: string, length: number, options: object) =>
  runTask(
    service,
    { run: 'chunk', name: 'json' },
    { text: (HOSTILE_SHAPES[name] as (length: number) => string)(length), ...options, ...optionsFor(name) },
  );

t.test('5 MB that nest without end overflow no stack', async (t) => {
  for (const name of [
    'nested lists',
    'nested objects',
    'lists that nest and go on',
    'openings!',
    'closings!',
  ])
    t.ok((await run(name, 5e6, { chunk_size: 4096 })).bytes.length > 5e6, name);
});
