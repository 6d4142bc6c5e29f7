import { Registry } from 'prom-client';
import t from 'tap';
import { addJobMetrics } from '../../../server/http/job-metrics.ts';
import type { JobLoad } from '../../../server/store/jobs/contract.ts';
import { runJob, startJobServer } from '../../support/jobs.ts';
import { startServer } from '../../support/server.ts';

/** What is counted of jobs. */

const LOAD: JobLoad = {
  shards: { ready: 3, running: 2, done: 1, failed: 0, cancelled: 0 },
  oldestReadySeconds: 7.5,
};

t.test('a server counts what it has done of jobs, and tells what waits', async (t) => {
  const source = { path: 'rows.jsonl' };
  const server = await startJobServer(t, { 'rows.jsonl': '{"text": "one"}\n{"text": "two"}\n{}\n' });
  const before = (await server.get('/metrics')).bytes.toString();
  t.match(before, 'chunksmith_bulk_documents_total{result="failed"} 0', 'a rate sees the first failure');
  await runJob(server, { source });
  const text = (await server.get('/metrics')).bytes.toString();
  for (const line of [
    'chunksmith_bulk_documents_total{result="done"} 2',
    'chunksmith_bulk_documents_total{result="failed"} 1',
    'chunksmith_bulk_lease_lost_total 0',
    'chunksmith_bulk_shard_seconds_count{outcome="done"} 3',
    'chunksmith_bulk_oldest_ready_seconds 0',
    'chunksmith_bulk_shards{state="running"} ',
  ]) {
    t.match(text, line);
  }
  t.match(text, /^chunksmith_bulk_bytes_total [1-9]/m);
});

t.test('a server without jobs has no such metrics', async (t) => {
  const server = await startServer(t);
  t.notMatch((await server.get('/metrics')).bytes.toString(), 'chunksmith_bulk');
});

t.test('many scrapes ask the store once', async (t) => {
  const registry = new Registry();
  let asked = 0;
  addJobMetrics(registry, async () => {
    asked++;
    return LOAD;
  });
  for (let scrape = 0; scrape < 10; scrape++) {
    const texts = await Promise.all([registry.metrics(), registry.metrics()]);
    for (const text of texts) {
      t.match(text, 'chunksmith_bulk_shards{state="ready"} 3');
      t.match(text, 'chunksmith_bulk_oldest_ready_seconds 7.5');
    }
  }
  t.equal(asked, 1);
});

t.test('a scrape does not wait for a store that does not answer, and outlives one that fails', async (t) => {
  const hanging = new Registry();
  addJobMetrics(hanging, () => new Promise(() => {}));
  t.match(await hanging.metrics(), 'chunksmith_bulk_lease_lost_total 0');
  const failing = new Registry();
  addJobMetrics(failing, async () => {
    throw new Error('away');
  });
  t.notMatch(await failing.metrics(), 'chunksmith_bulk_shards{');
});

t.test('shards that were lost to another worker are counted', async (t) => {
  const registry = new Registry();
  const metrics = addJobMetrics(registry, async () => LOAD);
  metrics.shard('lost', 1);
  metrics.shard('done', 2);
  const text = await registry.metrics();
  t.match(text, 'chunksmith_bulk_lease_lost_total 1');
  t.match(text, 'chunksmith_bulk_shard_seconds_sum{outcome="done"} 2');
});
