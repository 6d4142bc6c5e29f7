import t from 'tap';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../support/linear-work.ts';

t.test('reading places and placing chunks does work linear in both', async (t) => {
  const counter = await startBlockCounter(t);
  const { composeQuietly, runTask } = await import('../../../support/service.ts');
  const { service } = await composeQuietly();
  /** Texts of the shape's characters, with a place for each so many of them. */
  const shapes = {
    'lines of a page': (length: number) => 'word '.repeat(length / 5),
    'of one to four bytes': (length: number) => 'aé漢👍 '.repeat(length / 6),
  };
  const requests = [
    { every: 2, reach: 2 },
    { every: 5, reach: 40 },
  ];
  const place = (text: string, request: object) => {
    const { every, reach } = request as (typeof requests)[number];
    const count = Math.floor([...text].length / every) - reach;
    const places = Array.from({ length: count }, (_, index) => {
      const start = index * every;
      return { start, end: start + reach, page: 1 + (index >> 5), box: [0.1, 0.1, 0.2, 0.2] };
    });
    const document = { text, places };
    const body = { documents: [document], include: ['pages', 'places'], chunk_size: 50 };
    return runTask(service, { run: 'chunk', name: 'token' }, body);
  };
  await checkLinearWork(t, shapes, requests, place, counter);
});
