import t from 'tap';
import { chunker, pluginsFolder } from '../support/plugins.ts';
import { startServer } from '../support/server.ts';
import { fuzz } from './fuzzer.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1500);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

t.test('whatever is sent, the answer is as described and never an unexpected 5xx', async (t) => {
  const client = await startServer(t, { workers: 2, requestTimeout: 60 });
  t.comment(`${REQUESTS} requests, FUZZ_SEED=${SEED}`);
  const breaches = await fuzz(client, REQUESTS, SEED);
  for (const breach of breaches.slice(0, 10)) t.fail(JSON.stringify(breach).slice(0, 1500));
  t.equal(breaches.length, 0);
  t.equal((await client.get('/health')).status, 200);
  const [chunk] = await client.chunk('token', { text: 'still right 😀' });
  t.equal(chunk?.end_index, 13);
});

t.test('the fuzzer finds a bug that is put in on purpose', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker(
      'faulty',
      `if (text.length % 2 === 1) throw new Error('a bug'); return [{ start: 0, end: text.length }];`,
    ),
  );
  const client = await startServer(t, { plugins: ['faulty', 'character'], pluginsDir: [folder] });
  const breaches = await fuzz(client, 400, SEED);
  t.ok(breaches.some(({ status, request }) => status === 500 && request.path.startsWith('/v1/chunk/faulty')));
});
