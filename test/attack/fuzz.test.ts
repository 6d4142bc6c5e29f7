import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { chunker, pluginsFolder } from '../support/plugins.ts';
import { startServer, temporaryFolder } from '../support/server.ts';
import { fuzz } from './fuzzer.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1500);
/**
 * Bytes that the second half of the requests may leave, such as code that was compiled for them. Of 10,000
 * requests it finds what keeps 1,000 bytes of each.
 */
const MOST_GROWN = 5e6;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

t.test('whatever is sent, the answer is as described and never an unexpected 5xx', async (t) => {
  const bulkRoot = await temporaryFolder(t, { 'kb/a.txt': 'a text', 'b.jsonl': '{"text": "a line"}\n' });
  const client = await startServer(t, { workers: 2, requestTimeout: 60, bulkRoot });
  t.comment(`${REQUESTS} requests, FUZZ_SEED=${SEED}`);
  const breaches = await fuzz(client, REQUESTS / 2, SEED);
  const before = heapBytes();
  breaches.push(...(await fuzz(client, REQUESTS / 2, SEED + 1)));
  const grown = heapBytes() - before;
  for (const breach of breaches.slice(0, 10)) t.fail(JSON.stringify(breach).slice(0, 1500));
  t.equal(breaches.length, 0);
  t.ok(grown < MOST_GROWN, `nothing is kept of requests: the heap has grown by ${grown} bytes`);
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.match(metrics, /^chunksmith_bytes_in_flight 0$/m);
  t.match(metrics, /^chunksmith_queue_depth 0$/m);
  t.equal((await client.get('/health')).status, 200);
  const [chunk] = await client.chunk('token', { text: 'still right 😀' });
  t.equal(chunk?.end_index, 13);
});

/** Bytes of the heap of this process, which the server shares, without garbage. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

t.test('the fuzzer finds a bug that is put in on purpose', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker(
      'faulty',
      `if (text.length % 2 === 1) throw new Error('a bug'); return [{ start: 0, end: text.length }];`,
    ),
  );
  const client = await startServer(t, { plugins: ['faulty', 'character'], pluginsDir: [folder] });
  const breaches = await fuzz(client, 1500, SEED);
  t.ok(breaches.some(({ status, request }) => status === 500 && request.path.startsWith('/v1/chunk/faulty')));
});
