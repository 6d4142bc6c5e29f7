import t from 'tap';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../support/linear-work.ts';

t.test('the work on hostile rows of CSV grows with their length', async (t) => {
  const counter = await startBlockCounter();
  t.teardown(() => counter.stop());
  const { memoryStorage, readPath } = await import('../memory-storage.ts');
  const shapes = ['"a",', '"a"b,', 'a"b,', '"",', '"a\n",', ',', '"', 'a"', '"a""', 'a,\n'];
  const texts = shapes.map(
    (shape) => [JSON.stringify(shape), (length: number) => shape.repeat(length)] as const,
  );
  const read = (text: string) =>
    readPath(memoryStorage({ 'a.csv': `c0,text\n${text}` }, 100), 'a.csv', 'csv');
  await checkLinearWork(t, Object.fromEntries(texts), [{}], read, counter);
});
