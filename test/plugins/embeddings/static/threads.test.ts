import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import t, { type Test } from 'tap';
import type { SharedMemory } from '../../../../core/contracts/collaborators.ts';
import { openSharedBuffers } from '../../../../server/run/shared-buffers.ts';
import { configOf, createProvider, createProviderWithFolder, TOKENIZER } from './support/models.ts';
import type { Opened, StaticWorkerData } from './support/worker.ts';

const WORKER = new URL('./support/worker.ts', import.meta.url);
const MODEL = 'chunksmith/static-en-256';
const THREADS = 8;

t.test('eight threads read one table, which is built once', async (t) => {
  const folder = t.testdir({});
  const channel = `test-${randomUUID()}`;
  const builds = new SharedArrayBuffer(4);
  const registry = openSharedBuffers(channel);
  t.teardown(() => registry.close());
  const data: StaticWorkerData = { channel, folder, model: MODEL, builds };
  const workers = startWorkers(t, data);
  const answers = await Promise.all(workers.map((worker) => ask(worker, 'A quiet harbour.')));
  t.equal(Atomics.load(new Int32Array(builds), 0), 1);
  for (const answer of answers) t.same(answer, answers[0]);

  let memory: SharedMemory | undefined;
  const provider = await createProvider(folder, {
    get: async (key, build) => {
      const got = await registry.get(key, build);
      memory = got;
      return got;
    },
    release: (key) => registry.release(key),
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

function startWorkers(t: Test, workerData: StaticWorkerData): Worker[] {
  return Array.from({ length: THREADS }, () => {
    const worker = new Worker(WORKER, { workerData, execArgv: [] });
    t.teardown(() => worker.terminate());
    return worker;
  });
}

async function ask(worker: Worker, text: string): Promise<Float32Array> {
  worker.postMessage(text);
  const [{ values }] = (await once(worker, 'message')) as [Opened];
  return values;
}

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

t.test('a table that cannot be read is given back, and read again when it is asked for again', async (t) => {
  const released: string[] = [];
  let builds = 0;
  const { provider, add } = await createProviderWithFolder(t, {
    get: async (_key, build) => {
      builds++;
      return build();
    },
    release: (key) => released.push(key),
  });
  await add('broken', { 'config.json': configOf({}), 'tokenizer.json': TOKENIZER, 'model.safetensors': '' });
  const { signal } = new AbortController();
  for (const times of [1, 2]) {
    await t.rejects(provider.open('broken', signal), { message: /it is too short/ });
    t.equal(builds, times);
    t.same(released, Array(times).fill('static/broken'));
  }
});
