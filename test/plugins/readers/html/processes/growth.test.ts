import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';
import { HOSTILE_PAGES } from '../hostile-pages.ts';

t.test('the work is linear in the page, however hostile it is', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: createReader } = await import('../../../../../plugins/readers/html/index.ts');
  const { readWith } = await import('../../reading.ts');
  const run = (page: string) => readWith(createReader, page).catch(() => undefined);
  await checkLinearWork(t, HOSTILE_PAGES, [{}], run, counter);
});
