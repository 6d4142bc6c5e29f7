import { setTimeout as wait } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { chunker, plugin, pluginsFolder } from '../../../support/plugins.ts';
import { startServer } from '../../../support/server.ts';

/** Where plugins run, and what happens to their work. */

const threaded = (name: string, manifest: object = {}) =>
  plugin(
    { kind: 'chunker', name, ...manifest },
    `import { threadId } from 'node:worker_threads';
    export default () => ({ chunk: (text) => [{ start: 0, end: text.length, extra: { thread: threadId } }] });`,
  );
const folder = await pluginsFolder(
  t,
  threaded('light', { light: true }),
  threaded('other'),
  chunker('endless', 'for (;;);'),
  chunker(
    'watch',
    `await new Promise((done) => context.signal.addEventListener('abort', done));
    globalThis.sawAbort = true;
    return [];`,
    { light: true },
  ),
);
const plugins = ['light', 'other', 'endless', 'watch', 'character'];
const client = await startServer(t, { workers: 1, inlineBytes: 1000, pluginsDir: [folder], plugins });

/** Sends a small request, and goes away. */
function leave(t: Test, name: string, milliseconds: number): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "a"}' };
  return t.rejects(client.send(`/v1/chunk/${name}`, { ...init, signal: AbortSignal.timeout(milliseconds) }));
}

t.test('small requests run here if the plugin says that it is light, all others in a worker', async (t) => {
  const threadOf = async (name: string, text: string) => (await client.chunk(name, { text }))[0]?.thread;
  t.equal(await threadOf('light', 'a'), threadId);
  t.not(await threadOf('light', 'a'.repeat(1000)), threadId);
  t.not(await threadOf('other', 'a'), threadId);
});

t.test('a client that goes away stops the work in a worker', async (t) => {
  await leave(t, 'endless', 600);
  t.equal((await client.chunk('other', { text: 'abc' })).length, 1, 'the thread is not waited for');
});

t.test('a client that goes away is seen by a plugin on the event loop', async (t) => {
  const state = globalThis as { sawAbort?: boolean };
  await leave(t, 'watch', 200);
  while (!state.sawAbort) await wait(20);
});
