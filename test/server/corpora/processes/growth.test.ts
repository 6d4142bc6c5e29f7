import t from 'tap';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../support/linear-work.ts';

t.test('the work on hostile rows of CSV grows with their length', async (t) => {
  const counter = await startBlockCounter(t);
  const { memoryStorage, readPath } = await import('../memory-storage.ts');
  const shapes = repeated('"a",', '"a"b,', 'a"b,', '"",', '"a\n",', ',', '"', 'a"', '"a""', 'a,\n');
  const read = (text: string) =>
    readPath(memoryStorage({ 'a.csv': `c0,text\n${text}` }, 100), 'a.csv', 'csv');
  await checkLinearWork(t, shapes, [{}], read, counter);
});
