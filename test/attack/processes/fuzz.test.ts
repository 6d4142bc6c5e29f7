import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { checkRequests, SEED } from '../fuzzer.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1500);
/**
 * Bytes that the second half of the requests may leave, such as code that was compiled for them. Of 10,000
 * requests it finds what keeps 1,000 bytes of each.
 */
const MAX_GROWN = 5e6;

t.test('whatever is sent to threads, the answer is as described and nothing of it is kept', async (t) => {
  const { send, client } = await checkRequests(t, { workers: 2 });
  await send(REQUESTS / 2, SEED);
  const before = heapBytes();
  await send(REQUESTS / 2, SEED + 1);
  const grown = heapBytes() - before;
  t.ok(grown < MAX_GROWN, `the heap has grown by ${grown} bytes`);
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.match(metrics, /^chunksmith_bytes_in_flight 0$/m);
  t.match(metrics, /^chunksmith_queue_depth 0$/m);
});

/** Bytes of the heap of this process, which the server shares, without garbage. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
