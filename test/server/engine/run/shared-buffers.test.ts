import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, threadId, Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { openSharedBuffers } from '../../../../server/engine/run/shared-buffers.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { type Answer, startServer, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import type { Order, Outcome, SharedWorkerData } from './shared-buffers-worker.ts';

const WORKER = new URL('./shared-buffers-worker.ts', import.meta.url);

/** A registry in this thread, worker threads that are connected to it, and how often any of these has built. */
async function startThreads(t: Test, count: number) {
  const builds = new SharedArrayBuffer(4);
  const registry = openSharedBuffers();
  const threads = Array.from({ length: count }, () => {
    const { port1, port2 } = new MessageChannel();
    registry.serve(port1);
    const data = { port: port2, builds } satisfies SharedWorkerData;
    // Without the test runner's own preloads a thread starts in a tenth of the time.
    const worker = new Worker(WORKER, { workerData: data, transferList: [port2], execArgv: [] });
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

const shared = await startThreads(t, 3);
const { registry, threads } = shared;
const [first, second, third] = threads as [Thread, Thread, Thread];
type Thread = (typeof threads)[number];

/** Counts what is built from now on: several tests use the same threads, each with keys of its own. */
function countBuilds(): () => number {
  const before = shared.builds();
  return () => shared.builds() - before;
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
  const builds = countBuilds();
  const outcomes = await Promise.all(threads.map((thread) => thread.ask('asked at once', 'slowly')));
  t.equal(builds(), 1);
  const buffers = outcomes.map(({ buffer }) => new Uint8Array(buffer as SharedArrayBuffer));
  (buffers[0] as Uint8Array)[7] = 42;
  for (const bytes of buffers) t.equal(bytes[7], 42, 'it is the same memory');
  const here = await registry.get('asked at once', notHere);
  t.equal(new Uint8Array(here)[7], 42, 'in this thread too');
  const again = await third.ask('asked at once');
  t.equal(builderOf(again.buffer), builderOf(here), 'and for who asks again');
  t.equal(builds(), 1);
});

t.test('this thread may be the one that builds, a memory of WebAssembly too', async (t) => {
  const builds = countBuilds();
  const built = memoryOfOnePage();
  const here = registry.get('built here', () => wait(300, built));
  const outcomes = await Promise.all(threads.map((thread) => thread.ask('built here')));
  t.equal(await here, built);
  new Uint8Array(built.buffer)[0] = 9;
  for (const { buffer } of outcomes) t.equal(builderOf((buffer as typeof built | undefined)?.buffer), 9);
  t.equal(builds(), 0);
});

t.test('each key has a buffer of its own, and two desks in one process do not hear each other', async (t) => {
  const builds = countBuilds();
  const other = await startThreads(t, 1);
  const asked = [first.ask('one'), second.ask('other'), other.threads[0]?.ask('one')];
  const [one, two] = await Promise.all(asked);
  t.same([builderOf(one?.buffer), builderOf(two?.buffer)], [first.id, second.id]);
  t.same([builds(), other.builds()], [2, 1]);
});

t.test('a build that fails is reported to its caller, and the next one that asks builds', async (t) => {
  const builds = countBuilds();
  t.match(await first.ask('fails', 'badly'), { error: `thread ${first.id} cannot build` });
  t.equal(builderOf((await second.ask('fails')).buffer), second.id);
  t.equal(builderOf((await first.ask('fails', 'badly')).buffer), second.id, 'the first one gets it now');
  t.equal(builds(), 2);
  await t.rejects(registry.get('fails otherwise', notHere), { message: 'this thread must not build' });
  t.equal(builderOf((await first.ask('fails otherwise')).buffer), first.id);
});

t.test('of those that wait for a build that fails, one builds and the others get it', async (t) => {
  const builds = countBuilds();
  const building = Promise.withResolvers<SharedArrayBuffer>();
  const failing = registry.get('fails for all', () => building.promise);
  const waiting = threads.map((thread) => thread.ask('fails for all'));
  await wait(300);
  t.equal(builds(), 0, 'they wait');
  building.reject(new Error('no luck'));
  await t.rejects(failing, { message: 'no luck' });
  const [one, other] = await Promise.all(waiting);
  t.equal(builds(), 1);
  t.equal(builderOf(one?.buffer), builderOf(other?.buffer));
});

t.test('what a thread was building when it ended, the next one that is still there builds', async (t) => {
  const { registry, threads, builds } = await startThreads(t, 4);
  const [dying, waiting, next, last] = threads as [Thread, Thread, Thread, Thread];
  void dying.ask('table', 'never').catch(() => undefined);
  await until(() => builds() === 1);
  void waiting.ask('table').catch(() => undefined);
  await wait(200);
  const answers = [next.ask('table'), last.ask('table')];
  await wait(200);
  t.equal(builds(), 1, 'they wait');
  await Promise.all([dying.end(), waiting.end()]);
  registry.releaseDead(new Set([threadId, next.id, last.id]));
  const [one, other] = await Promise.all(answers);
  t.equal(builds(), 2);
  t.equal(builderOf(one?.buffer), builderOf(other?.buffer));
});

t.test('a plugin whose thread dies while it builds is built by the next request', async (t) => {
  const flag = JSON.stringify(join(await temporaryFolder(t), 'died'));
  const fragile = `import { existsSync, writeFileSync } from 'node:fs';
    export default ({ shared }) => ({
      async chunk(text) {
        const { byteLength: size } = await shared.get('fragile', async () => {
          await new Promise((done) => setTimeout(done, 300));
          if (existsSync(${flag})) return new SharedArrayBuffer(5);
          writeFileSync(${flag}, '');
          process.exit(1);
        });
        return [{ start: 0, end: text.length, extra: { size } }];
      },
    });`;
  const folder = await pluginsFolder(t, plugin({ kind: 'chunker', name: 'fragile' }, fragile));
  const client = await startServer(t, { workers: 2, inlineBytes: 0, pluginsDir: [folder] });
  const requests = [1, 2].map(() => client.post('/v1/chunk/fragile', { text: 'abc' }));
  const answers = (await Promise.all(requests)).sort((a, b) => b.status - a.status);
  t.equal(answers[1]?.status, 200, 'the next request has a new thread');
  checkProblem(t, answers[0] as Answer, 500, /^The worker of this request ended/);
  t.match(await client.chunk('fragile', { text: 'abc' }), [{ size: 5 }]);
});
