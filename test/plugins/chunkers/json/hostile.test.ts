import t from 'tap';
import { type BlockCounter, startBlockCounter } from '../../../support/executed-blocks.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { SHAPES } from './shapes.ts';

const REQUESTS = [{}, { chunk_size: 3 }];
const { service } = await composeQuietly();

const run = (name: string, length: number, options: object) =>
  runTask(
    service,
    { run: 'chunk', name: 'json' },
    { text: (SHAPES[name] as (length: number) => string)(length), tolerant: name.endsWith('!'), ...options },
  );

t.test('twice the text is at most 2.3 times the work', async (t) => {
  const counter: BlockCounter = await startBlockCounter();
  t.teardown(() => counter.stop());
  for (const name of Object.keys(SHAPES)) {
    for (const options of REQUESTS) {
      const workOf = async (length: number) => {
        const counts = [];
        for (let round = 0; round < 2; round++)
          counts.push(await counter.count(() => run(name, length, options)));
        return Math.min(...counts);
      };
      const growth = (await workOf(12_000)) / (await workOf(6000));
      t.ok(growth < 2.3, `${name} ${JSON.stringify(options)}: ${growth.toFixed(2)}`);
    }
  }
});
