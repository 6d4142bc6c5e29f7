import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import type { SharedMemory } from '../../../core/contracts.ts';
import { openSharedBuffersDesk } from '../../../server/run/shared-buffers.ts';
import { createProvider, createProviderWithFolder } from './static-support/models.ts';
import type { Opened, StaticWorkerData } from './static-support/worker.ts';

const WORKER = new URL('./static-support/worker.ts', import.meta.url);
const MODEL = 'chunksmith/static-en-256';
const THREADS = 8;

t.test('eight threads read one table, which is built once', async (t) => {
  const folder = t.testdir({});
  const channel = `test-${randomUUID()}`;
  const builds = new SharedArrayBuffer(4);
  const desk = openSharedBuffersDesk(channel);
  t.teardown(() => desk.close());
  const data: StaticWorkerData = { channel, folder, model: MODEL, builds };
  const workers = Array.from({ length: THREADS }, () => {
    const worker = new Worker(WORKER, { workerData: data, execArgv: [] });
    t.teardown(() => worker.terminate());
    return worker;
  });
  const ask = async (worker: Worker, text: string): Promise<Float32Array> => {
    worker.postMessage(text);
    const [{ values }] = (await once(worker, 'message')) as [Opened];
    return values;
  };
  const answers = await Promise.all(workers.map((worker) => ask(worker, 'A quiet harbour.')));
  t.equal(Atomics.load(new Int32Array(builds), 0), 1);
  for (const answer of answers) t.same(answer, answers[0]);

  let memory: SharedMemory | undefined;
  const provider = await createProvider(folder, {
    get: async (key, build) => {
      const got = await desk.get(key, build);
      memory = got;
      return got;
    },
    release: (key) => desk.release(key),
  });
  const { signal } = new AbortController();
  const model = await provider.open(MODEL, signal);
  const here = await model?.embed(['A quiet harbour.'], { purpose: 'similarity', signal });
  t.same(here?.values, answers[0]);
  t.equal(Atomics.load(new Int32Array(builds), 0), 1, 'and this thread has not built it either');
  if (memory === undefined || memory instanceof SharedArrayBuffer)
    throw new Error('no memory of WebAssembly');
  new Int8Array(memory.buffer, 64).fill(1);
  const changed = await Promise.all(workers.map((worker) => ask(worker, 'A quiet harbour.')));
  for (const answer of changed) t.notSame(answer, answers[0], 'what one thread writes, all read');
});

t.test('a model that is open twice keeps its table until both are closed', async (t) => {
  const released: string[] = [];
  const { provider } = await createProviderWithFolder(t, {
    get: async (_key, build) => build(),
    release: (key) => released.push(key),
  });
  const { signal } = new AbortController();
  const one = await provider.open(MODEL, signal);
  const other = await provider.open('vendor/potion-base-8M', signal);
  await one?.close?.();
  t.same(released, []);
  await other?.close?.();
  t.same(released, [`static/${MODEL}`]);
});
