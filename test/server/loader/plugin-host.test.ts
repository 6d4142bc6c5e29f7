import { threadId } from 'node:worker_threads';
import t from 'tap';
import { BUILT_IN_PLUGINS, loadRegistry } from '../../../server/loader/loader.ts';
import { chunker, FIXTURES, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';
import { find } from './listed-plugins.ts';

t.test('a plugin is given what it uses, by name', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'twice', uses: ['tokenizer', 'chunker/token'] },
      `export default ({ 'chunker/token': token, memoryBytes, kit, log, shared }) => ({
        chunk: (text, options, context) => {
          if (!memoryBytes || !kit.cutAtDelimiters || !log.info || !shared.get) throw new Error('a collaborator is missing');
          return token.chunk(text, { chunk_size: 2, chunk_overlap: 0 }, context);
        },
      });`,
    ),
    plugin(
      { kind: 'chunker', name: 'greedy' },
      `export default ({ 'chunker/token': token }) => ({ chunk: () => token });`,
    ),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  t.same(
    (await client.chunk('twice', { text: 'abcde' })).map((chunk) => chunk.text),
    ['ab', 'cd', 'e'],
  );
  checkProblem(
    t,
    await client.post('/v1/chunk/greedy', { text: 'a' }),
    500,
    /^The chunker "greedy" failed: /,
  );
});

t.test('a plugin is imported and made at its first use, once', async (t) => {
  const state = globalThis as { imports?: number; factories?: number };
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'lazy' },
      `globalThis.imports = (globalThis.imports ?? 0) + 1;
      export default async () => {
        globalThis.factories = (globalThis.factories ?? 0) + 1;
        return { chunk: (text) => [{ start: 0, end: text.length }] };
      };`,
    ),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  for (const path of ['/', '/v1/plugins', '/openapi.json']) await client.get(path);
  await client.chunk('token', { text: 'a' });
  await client.post('/v1/chunk/lazy', { text: 5 });
  t.equal(state.imports, undefined, 'not at the start');
  await Promise.all(Array.from({ length: 5 }, () => client.chunk('lazy', { text: 'abc' })));
  t.equal(state.imports, 1);
  t.equal(state.factories, 1);
});

t.test('small requests run here if the plugin says that it is light, all others in a worker', async (t) => {
  const index = `import { threadId } from 'node:worker_threads';
    export default () => ({ chunk: (text) => [{ start: 0, end: text.length, extra: { thread: threadId } }] });`;
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'light', light: true }, index),
    plugin({ kind: 'chunker', name: 'other' }, index),
  );
  const client = await startServer(t, { workers: 1, inlineBytes: 1000, pluginsDir: [folder] });
  const threadOf = async (name: string, text: string) => (await client.chunk(name, { text }))[0]?.thread;
  t.equal(await threadOf('light', 'a'), threadId);
  t.not(await threadOf('light', 'a'.repeat(1000)), threadId);
  t.not(await threadOf('other', 'a'), threadId);
});

t.test('under load', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('busy', `for (const end = Date.now() + 20_000; Date.now() < end; ); ${WHOLE_TEXT}`),
    chunker('slow', `await new Promise((done) => setTimeout(done, 400)); ${WHOLE_TEXT}`),
    chunker('exit', 'process.exit(1);'),
    chunker(
      'watch',
      `
      await new Promise((done) => context.signal.addEventListener('abort', done));
      globalThis.sawAbort = true;
      return [];`,
    ),
  );
  const settings = { workers: 1, inlineBytes: 0, pluginsDir: [folder] };
  const client = await startServer(t, settings);

  await t.test('a client that goes away stops the work in a worker', async (t) => {
    const started = Date.now();
    const gone = AbortSignal.timeout(600);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "a"}' };
    await t.rejects(client.send('/v1/chunk/busy', { ...init, signal: gone }));
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
    t.ok(Date.now() - started < 10_000, 'the thread was not waited for');
  });

  await t.test('a client that goes away is seen by a plugin on the event loop', async (t) => {
    const client = await startServer(t, { pluginsDir: [folder] });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "a"}' };
    await t.rejects(client.send('/v1/chunk/watch', { ...init, signal: AbortSignal.timeout(200) }));
    const state = globalThis as { sawAbort?: boolean };
    for (let wait = 0; wait < 50 && !state.sawAbort; wait++)
      await new Promise((done) => setTimeout(done, 20));
    t.equal(state.sawAbort, true);
  });

  await t.test('a full queue is 503 with Retry-After, at once', async (t) => {
    const client = await startServer(t, { ...settings, queueSize: 2 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post('/v1/chunk/slow', { text: 'a' })),
    );
    const refused = answers.filter((answer) => answer.status !== 200);
    t.equal(answers.length - refused.length, 3, 'one runs, two wait');
    for (const answer of refused) {
      checkProblem(t, answer, 503, /queue is full: try again in 1 s/);
      t.equal(answer.headers.get('retry-after'), '1');
    }
    t.equal((await client.get('/health')).status, 200);
    t.equal((await client.post('/v1/chunk/slow', { text: 'a' })).status, 200, 'afterwards there is room');
  });

  await t.test('a worker that dies is a 500, and the next request has a new one', async (t) => {
    checkProblem(t, await client.post('/v1/chunk/exit', { text: 'a' }), 500, /./);
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
  });
});

t.test('the registry does not change once it is made', async (t) => {
  const options = { folders: [BUILT_IN_PLUGINS, FIXTURES], only: [], env: {} };
  const registry = await loadRegistry(options);
  const [entry] = registry.all;
  const change = (action: () => unknown) => t.throws(action, { name: 'TypeError' });
  change(() => (registry.all as unknown[]).push({}));
  change(() => Object.assign(registry, { find: () => undefined }));
  change(() => Object.assign(entry as object, { missing: ['x'] }));
  change(() => Object.assign((entry as { manifest: object }).manifest, { name: 'x' }));
});

t.test('a plugin cannot change its manifest later', async (t) => {
  const folder = await pluginsFolder(t, {
    ...chunker('sly', WHOLE_TEXT),
    'sly/index.js': `import manifest from './manifest.js';
      manifest.summary = 'changed';
      manifest.options = { type: 'object', properties: { more: { type: 'integer' } } };
      export default () => ({ chunk: (text) => [{ start: 0, end: text.length }] });`,
  });
  const client = await startServer(t, { pluginsDir: [folder] });
  t.equal((await client.chunk('sly', { text: 'abc' })).length, 1);
  t.equal((await find(client, 'sly')).summary, 'For a test.');
  checkProblem(
    t,
    await client.post('/v1/chunk/sly', { text: 'abc', more: 1 }),
    400,
    /^more: unknown parameter/,
  );
});
