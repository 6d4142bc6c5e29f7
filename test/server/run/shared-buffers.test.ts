import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { threadId, Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { openSharedBuffers, type SharedBuffersRegistry } from '../../../server/run/shared-buffers.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import type { Order, Outcome, SharedWorkerData } from '../../support/shared-buffers-worker.ts';

const WORKER = new URL('../../support/shared-buffers-worker.ts', import.meta.url);

interface Thread {
  readonly id: number;
  ask(key: string, build?: Order['build']): Promise<Outcome>;
  end(): Promise<number>;
}

interface Threads {
  readonly registry: SharedBuffersRegistry;
  readonly threads: Thread[];
  /** How often a buffer was built in any of the worker threads. */
  builds(): number;
}

/** A registry in this thread, and worker threads that are connected to it. */
async function startThreads(t: Test, count: number): Promise<Threads> {
  const channel = `test-${randomUUID()}`;
  const builds = new SharedArrayBuffer(4);
  const registry = openSharedBuffers(channel);
  t.teardown(() => registry.close());
  const threads = Array.from({ length: count }, () => {
    const data = { channel, builds } satisfies SharedWorkerData;
    // Without the test runner's own preloads a thread starts in a tenth of the time.
    const worker = new Worker(WORKER, { workerData: data, execArgv: [] });
    t.teardown(() => worker.terminate());
    return {
      id: worker.threadId,
      async ask(key: string, build: Order['build'] = 'well') {
        worker.postMessage({ key, build } satisfies Order);
        const [outcome] = (await once(worker, 'message')) as [Outcome];
        return outcome;
      },
      end: () => worker.terminate(),
    };
  });
  return { registry, threads, builds: () => Atomics.load(new Int32Array(builds), 0) };
}

const builderOf = (buffer: SharedArrayBuffer | undefined) => new Uint8Array(buffer ?? new ArrayBuffer(1))[0];

/** The types of Node.js do not know WebAssembly. */
function memoryOfOnePage() {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { Memory: new (descriptor: object) => { readonly buffer: SharedArrayBuffer } };
  };
  return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
}

const notHere = () => {
  throw new Error('this thread must not build');
};

t.test('many threads that ask at once share one buffer, built once', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 3);
  const outcomes = await Promise.all(threads.map((thread) => thread.ask('table', 'slowly')));
  t.equal(builds(), 1);
  const buffers = outcomes.map(({ buffer }) => new Uint8Array(buffer as SharedArrayBuffer));
  (buffers[0] as Uint8Array)[7] = 42;
  t.same(
    buffers.map((bytes) => bytes[7]),
    [42, 42, 42],
    'it is the same memory',
  );
  const here = await registry.get('table', notHere);
  t.equal(new Uint8Array(here)[7], 42, 'in this thread too');
  t.equal(builderOf((await threads[2]?.ask('table'))?.buffer), builderOf(here), 'and for who asks again');
  t.equal(builds(), 1);
});

t.test('this thread may be the one that builds', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 2);
  const built = new SharedArrayBuffer(8);
  const here = registry.get(
    'table',
    () => new Promise<SharedArrayBuffer>((done) => setTimeout(done, 300, built)),
  );
  const outcomes = await Promise.all(threads.map((thread) => thread.ask('table')));
  t.equal(await here, built);
  new Uint8Array(built)[0] = 9;
  for (const { buffer } of outcomes) t.equal(builderOf(buffer), 9);
  t.equal(builds(), 0);
});

t.test('what is shared may be a memory of WebAssembly', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 2);
  const built = memoryOfOnePage();
  t.equal(await registry.get('table', async () => built), built);
  const outcomes = await Promise.all(threads.map((thread) => thread.ask('table')));
  new Uint8Array(built.buffer)[0] = 9;
  for (const { buffer } of outcomes) t.equal(builderOf((buffer as typeof built | undefined)?.buffer), 9);
  t.equal(builds(), 0);
});

t.test('each key has its own buffer', async (t) => {
  const { threads, builds } = await startThreads(t, 2);
  const [one, other] = await Promise.all([threads[0]?.ask('one'), threads[1]?.ask('other')]);
  t.equal(builderOf(one?.buffer), threads[0]?.id);
  t.equal(builderOf(other?.buffer), threads[1]?.id);
  t.equal(builds(), 2);
});

t.test('two desks in one process do not hear each other', async (t) => {
  const first = await startThreads(t, 1);
  const second = await startThreads(t, 1);
  await Promise.all([first, second].map(({ threads }) => threads[0]?.ask('table')));
  t.equal(first.builds(), 1);
  t.equal(second.builds(), 1);
});

t.test('a build that fails is reported to its caller, and the next one that asks builds', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 2);
  const [first, second] = threads as [Thread, Thread];
  t.match(await first.ask('table', 'badly'), { error: `thread ${first.id} cannot build` });
  t.equal(builderOf((await second.ask('table')).buffer), second.id);
  t.equal(builderOf((await first.ask('table', 'badly')).buffer), second.id, 'the first one gets it now');
  t.equal(builds(), 2);
  await t.rejects(registry.get('other', notHere), { message: 'this thread must not build' });
  t.equal(builderOf((await first.ask('other')).buffer), first.id);
});

t.test('of those that wait for a build that fails, one builds and the others get it', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 2);
  let fail = () => {};
  const failing = registry.get(
    'table',
    () =>
      new Promise<SharedArrayBuffer>((_, reject) => {
        fail = () => reject(new Error('no luck'));
      }),
  );
  const waiting = threads.map((thread) => thread.ask('table'));
  await new Promise((done) => setTimeout(done, 300));
  t.equal(builds(), 0, 'they wait');
  fail();
  await t.rejects(failing, { message: 'no luck' });
  const [one, other] = await Promise.all(waiting);
  t.equal(builds(), 1);
  t.equal(builderOf(one?.buffer), builderOf(other?.buffer));
});

t.test('what a thread was building when it ended, the next one builds', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 3);
  const [dying, next, last] = threads as [Thread, Thread, Thread];
  void dying.ask('table', 'never').catch(() => undefined);
  await until(() => builds() === 1);
  const answers = [next.ask('table'), last.ask('table')];
  await new Promise((done) => setTimeout(done, 200));
  t.equal(builds(), 1, 'they wait');
  await dying.end();
  registry.releaseDead(new Set([threadId, next.id, last.id]));
  const [one, other] = await Promise.all(answers);
  t.equal(builds(), 2);
  t.equal(builderOf(one?.buffer), builderOf(other?.buffer));
});

t.test('a thread that ends while it waits is not told to build', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 3);
  const [dying, waiting, last] = threads as [Thread, Thread, Thread];
  void dying.ask('table', 'never').catch(() => undefined);
  await until(() => builds() === 1);
  void waiting.ask('table').catch(() => undefined);
  await new Promise((done) => setTimeout(done, 200));
  const answer = last.ask('table');
  await new Promise((done) => setTimeout(done, 200));
  await Promise.all([dying.end(), waiting.end()]);
  registry.releaseDead(new Set([threadId, last.id]));
  t.equal(builderOf((await answer).buffer), last.id);
});

t.test(
  'in the server, a plugin whose thread dies while it builds is built by the next request',
  async (t) => {
    const flag = join(await temporaryFolder(t), 'died');
    const folder = await pluginsFolder(
      t,
      plugin(
        { kind: 'chunker', name: 'fragile' },
        `import { existsSync, writeFileSync } from 'node:fs';
      export default ({ shared }) => ({
        async chunk(text) {
          const buffer = await shared.get('fragile', async () => {
            await new Promise((done) => setTimeout(done, 300));
            if (!existsSync(${JSON.stringify(flag)})) {
              writeFileSync(${JSON.stringify(flag)}, '');
              process.exit(1);
            }
            return new SharedArrayBuffer(5);
          });
          return [{ start: 0, end: text.length, extra: { size: buffer.byteLength } }];
        },
      });`,
      ),
    );
    const client = await startServer(t, { workers: 2, inlineBytes: 0, pluginsDir: [folder] });
    const requests = [1, 2].map(() => client.post('/v1/chunk/fragile', { text: 'abc' }));
    const statuses = (await Promise.all(requests)).map((answer) => answer.status);
    t.same(statuses.sort(), [200, 500]);
    t.match(await client.chunk('fragile', { text: 'abc' }), [{ size: 5 }]);
  },
);
