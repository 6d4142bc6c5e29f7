import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import chunksmith from '../../server/app.ts';
import { describeOptions } from '../../server/config.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { checkProblem } from '../support/problems.ts';
import { startProcess, until } from '../support/process.ts';
import { type Client, clientFor, temporaryFolder } from '../support/server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LOCAL = ['--host', '127.0.0.1', '--port', '0'];
const STACK = /\n\s+at /;
const SLOW = `await new Promise((done) => setTimeout(done, 800)); ${WHOLE_TEXT}`;

t.test('npm start runs the file that these tests run', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  t.equal(scripts.start, 'exec node server/main.ts');
});

t.test('a server in a process of its own', async (t) => {
  const secret = 'sk-12345';
  const plugins = await pluginsFolder(
    t,
    chunker('failing', `throw new Error('the key ${secret} is wrong');`),
    plugin(
      { kind: 'chunker', name: 'slow' },
      `export default ({ log }) => ({ async chunk(text) { log.info({}, 'slow begins'); ${SLOW} } });`,
    ),
  );
  const cwd = await temporaryFolder(t);
  const env = { HF_TOKEN: 'hf_abcdef', PLUGINS_DIR: plugins, WORKERS: '1', INLINE_BYTES: '1000' };
  const server = startProcess(t, [...LOCAL, '--log-level', 'debug'], { env, cwd });
  const client = await server.listening();

  await t.test('answers, from whatever folder it was started', async (t) => {
    t.same((await client.get('/health')).json(), { status: 'ok' });
    for (const text of ['small', 'large '.repeat(500)]) {
      const chunks = await client.chunk('recursive', { text });
      t.equal(chunks.map((chunk) => chunk.text).join(''), text);
    }
  });

  await t.test('logs JSON lines with method, path and status, never texts or tokens', async (t) => {
    await client.post('/v1/chunk/token?from=query', { text: 'private words' });
    await client.post('/v1/chunk/token', { text: 'private words', chunk_size: 'wrong' });
    await client.post('/v1/chunk/token', `{"text": "private words ${'x'.repeat(2000)}`);
    for (const status of [200, 400]) {
      t.ok(await until(() => server.stdout().includes(`"path":"/v1/chunk/token","status":${status}`)));
    }
    for (const line of server.stdout().trim().split('\n')) t.doesNotThrow(() => JSON.parse(line));
    t.notMatch(server.stdout(), /private words|from=query|hf_abcdef/);
  });

  await t.test('logs why a plugin failed, here and in a worker, which the caller does not see', async (t) => {
    for (const text of ['small', 'large '.repeat(500)]) {
      const before = server.stdout().length;
      const answer = await client.post('/v1/chunk/failing', { text }, { 'x-request-id': 'id-of-the-client' });
      checkProblem(t, answer, 500, /^The chunker "failing" failed: an unexpected error/);
      t.equal(answer.headers.get('x-request-id'), 'id-of-the-client');
      const logged = () => server.stdout().slice(before);
      t.ok(await until(() => /"level":50.*the key sk-12345 is wrong/.test(logged())));
      t.match(logged(), /"reqId":"id-of-the-client"/);
    }
  });

  await t.test('ends at SIGTERM with code 0, after it has finished what is in flight', async (t) => {
    const large = 'large '.repeat(500);
    const unused = connect(client.port, '127.0.0.1');
    t.teardown(() => unused.destroy());
    const inFlight = ['small', large].map((text) => client.post('/v1/chunk/slow', { text }));
    await until(() => server.stdout().split('slow begins').length === 3);
    server.child.kill('SIGTERM');
    const answers = await Promise.all(inFlight);
    t.same(
      answers.map((answer) => answer.status),
      [200, 200],
    );
    t.same(answers[1]?.json(), [{ text: large, start_index: 0, end_index: 3000, token_count: 3000 }]);
    t.equal(await server.ended(), 0, 'an unused connection does not hold it');
    await t.rejects(client.get('/health'), 'nobody listens any more');
    t.equal(server.stderr(), '');
  });
});

t.test('SIGINT ends it too', async (t) => {
  const server = startProcess(t, LOCAL);
  await server.listening();
  server.child.kill('SIGINT');
  t.equal(await server.ended(), 0);
});

t.test('does not wait for ever: a second signal, or the end of the grace, ends it at once', async (t) => {
  const plugins = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'endless' },
      `export default ({ log }) => ({
        async chunk() { log.info({}, 'endless begins'); await new Promise((done) => setTimeout(done, 60_000)); },
      });`,
    ),
  );
  const env = { PLUGINS_DIR: plugins, WORKERS: '1', DATA_DIR: await temporaryFolder(t) };
  for (const { grace, signals } of [
    { grace: '60', signals: ['SIGTERM', 'SIGTERM'] },
    { grace: '60', signals: ['SIGTERM', 'SIGINT'] },
    { grace: '1', signals: ['SIGTERM'] },
  ] as const) {
    const server = startProcess(t, [...LOCAL, '--shutdown-grace', grace], { env });
    const client = await server.listening();
    const kept = await client.post('/v1/pipelines', { name: `${signals} ${grace}`, steps: [] });
    t.equal(kept.status, 201);
    const refused = t.rejects(client.post('/v1/chunk/endless', { text: 'x'.repeat(100_000) }));
    await until(() => server.stdout().includes('endless begins'));
    const begin = performance.now();
    for (const signal of signals) {
      server.child.kill(signal);
      await until(() => server.stdout().includes('"msg":"stopping"'));
    }
    t.equal(await server.ended(), 1, `${signals}, grace ${grace}: not all was finished`);
    t.ok(performance.now() - begin < 15_000);
    await refused;
  }
  const after = startProcess(t, LOCAL, { env });
  const pipelines = (await (await after.listening()).get('/v1/pipelines')).json<unknown[]>();
  t.equal(pipelines.length, 3, 'nothing that was answered is lost');
});

/** A start that must fail with code 2 and a message in plain words. */
async function checkFailure(t: Test, args: string[], messages: RegExp[], env: Record<string, string> = {}) {
  const server = startProcess(t, args, { env });
  t.equal(await server.ended(), 2);
  for (const message of messages) t.match(server.stderr(), message);
  t.notMatch(server.stderr(), STACK);
}

t.test('a start that fails says why', async (t) => {
  t.jobs = 3;
  t.test('a port in use', { buffered: true }, async (t) => {
    const other = Fastify();
    t.teardown(() => other.close());
    await other.listen({ host: '127.0.0.1', port: 0 });
    const { port } = other.server.address() as AddressInfo;
    const message = new RegExp(`^.*127\\.0\\.0\\.1:${port}.* in use.*--port`, 'i');
    await checkFailure(t, ['--host', '127.0.0.1', '--port', String(port)], [message]);
  });
  t.test('a host that is not of this machine', { buffered: true }, async (t) => {
    await checkFailure(t, ['--host', '192.0.2.1', '--port', '0'], [/192\.0\.2\.1.*--host/]);
    await checkFailure(
      t,
      ['--host', 'no-such-host.invalid', '--port', '0'],
      [/no-such-host\.invalid.*--host/],
    );
  });
  t.test('options that are wrong, all of them', { buffered: true }, async (t) => {
    await checkFailure(
      t,
      ['--port=x', '--prot=1'],
      [/^--port: expected/m, /^--prot: unknown flag, did you mean --port\?$/m, /^LOG_LEVEL: /m],
      {
        LOG_LEVEL: 'loud',
      },
    );
  });
  t.test('a malformed plugin', { buffered: true }, async (t) => {
    const folder = await pluginsFolder(t, chunker('bad', WHOLE_TEXT, { kind: 'chunkr' }));
    await checkFailure(t, ['--plugins-dir', folder], [/bad\/manifest\.js: manifest\.kind: expected one of/]);
  });
  t.test('an unknown plugin', { buffered: true }, async (t) => {
    await checkFailure(t, ['--plugins', 'token,recursiv'], [/"recursiv".*chunker\/recursive/]);
  });
});

t.test('--help and --version print and end', async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const help = startProcess(t, ['--help', '--port=wrong']);
  const short = startProcess(t, ['--version']);
  t.equal(await help.ended(), 0);
  for (const { flag, variable } of describeOptions()) t.ok(help.stdout().includes(flag || variable));
  t.equal(await short.ended(), 0);
  t.equal(short.stdout(), `${version}\n`);
});

t.test('--reload starts again when a plugin of --plugins-dir changes, and ends as a whole', async (t) => {
  const folder = await pluginsFolder(t, chunker('changing', WHOLE_TEXT));
  const args = [
    '--host',
    '127.0.0.1',
    '--port',
    String(await freePort()),
    '--reload',
    '--plugins-dir',
    folder,
  ];
  const server = startProcess(t, args);
  const client = await server.listening();
  const count = async () => {
    try {
      return (await client.chunk('changing', { text: 'abcd' })).length;
    } catch {
      return 0;
    }
  };
  t.equal(await count(), 1);
  const halves = 'return [{ start: 0, end: 2 }, { start: 2, end: 4 }];';
  await writeFile(
    join(folder, 'changing/index.js'),
    chunker('changing', halves)['changing/index.js'] as string,
  );
  t.ok(await until(async () => (await count()) === 2), 'the change is served');
  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0);
  t.ok(await until(async () => (await count()) === 0), 'nothing listens any more');
});

async function freePort(): Promise<number> {
  const app = Fastify();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  await app.close();
  return port;
}

/** An app of somebody else, with routes and answers of its own, that mounts the service. */
async function startHost(t: Test, options: object): Promise<Client> {
  const host = Fastify({ bodyLimit: 500 });
  t.teardown(() => host.close());
  host.get('/', async () => ({ host: true }));
  host.get('/health', async () => ({ host: 'fine' }));
  host.post('/echo', async (request) => request.body);
  host.get('/broken', async () => {
    throw new Error('of the host');
  });
  host.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'nothing here' }));
  host.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ host: 'error' }),
  );
  await host.register(chunksmith, options);
  await host.listen({ host: '127.0.0.1', port: 0 });
  return clientFor(`http://127.0.0.1:${(host.server.address() as AddressInfo).port}`);
}

t.test('mounted in another app below a prefix', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'bad' }, 'throw new Error("secret");'),
  );
  const config = { workers: 0, pluginsDir: [folder], maxBodyBytes: 2000 };
  const client = await startHost(t, { prefix: '/chunks', config });

  await t.test('everything is there', async (t) => {
    t.same((await client.get('/chunks/health')).json(), { status: 'ok' });
    const answer = await client.post('/chunks/v1/chunk/token', { text: 'abc' });
    t.same(answer.json(), [{ text: 'abc', start_index: 0, end_index: 3, token_count: 3 }]);
    const info = (await client.get('/chunks/')).json<{
      endpoints: string[];
      docs: string;
      openapi: string;
    }>();
    t.ok(info.endpoints.includes('POST /chunks/v1/chunk/token'), info.endpoints.join(', '));
    for (const path of [info.docs, info.openapi]) t.equal((await client.get(path)).status, 200, path);
    const { paths } = (await client.get('/chunks/openapi.json')).json<{ paths: object }>();
    t.ok('/chunks/v1/chunk/token' in paths, Object.keys(paths).join(', '));
    for (const path of ['/chunks/docs', '/chunks/redoc', '/chunks/redoc/redoc.js']) {
      t.equal((await client.get(path)).status, 200, path);
    }
  });

  await t.test('its problems have its own form, and its own limit', async (t) => {
    const unknown = await client.post('/chunks/v1/chunk/tokn', { text: 'a' });
    checkProblem(t, unknown, 404, /Did you mean \/chunks\/v1\/chunk\/token\?/);
    checkProblem(t, await client.get('/chunks/health/'), 404, /Did you mean \/chunks\/health\?/);
    const wrong = await client.send('/chunks/v1/chunk/token', { method: 'PUT' });
    checkProblem(t, wrong, 405, /use POST/);
    checkProblem(t, await client.post('/chunks/v1/chunk/token', '{'), 400, /not valid JSON/);
    checkProblem(t, await client.post('/chunks/v1/chunk/bad', { text: 'a' }), 500, /"bad" failed/);
    t.equal((await client.post('/chunks/v1/chunk/token', { text: 'x'.repeat(1500) })).status, 200);
    const large = await client.post('/chunks/v1/chunk/token', { text: 'x'.repeat(3000) });
    checkProblem(t, large, 413, /limit of 2000 bytes/);
  });

  await t.test('nothing of the host app is touched', async (t) => {
    t.same((await client.get('/')).json(), { host: true });
    const health = await client.get('/health');
    t.same(health.json(), { host: 'fine' });
    for (const header of ['content-security-policy', 'x-frame-options', 'x-request-id']) {
      t.equal(health.headers.get(header), null, header);
    }
    t.same((await client.post('/echo', { a: [1] })).json(), { a: [1] });
    t.match(await client.post('/echo', '{'), { status: 400 });
    t.same((await client.post('/echo', '{')).json(), { host: 'error' });
    t.equal((await client.post('/echo', { a: 'x'.repeat(600) })).status, 413);
    t.same((await client.get('/broken')).json(), { host: 'error' });
    for (const path of ['/nothing', '/v1/chunk/token', '/docs', '/openapi.json']) {
      const answer = await client.get(path);
      t.equal(answer.status, 404);
      t.same(answer.json(), { host: 'nothing here' }, path);
    }
    t.equal((await client.send('/echo', { method: 'PUT' })).status, 404, 'the host keeps its own answer');
  });
});

t.test('mounted twice in one app, differently', async (t) => {
  const host = Fastify();
  t.teardown(() => host.close());
  await host.register(chunksmith, { prefix: '/a', config: { workers: 0, plugins: ['token'] } });
  await host.register(chunksmith, { prefix: '/b', config: { workers: 0, plugins: ['sentence'] } });
  await host.listen({ host: '127.0.0.1', port: 0 });
  const client = clientFor(`http://127.0.0.1:${(host.server.address() as AddressInfo).port}`);
  t.equal((await client.post('/a/v1/chunk/token', { text: 'abc' })).status, 200);
  t.equal((await client.post('/b/v1/chunk/sentence', { text: 'abc' })).status, 200);
  t.equal((await client.post('/b/v1/chunk/token', { text: 'abc' })).status, 404);
});

t.test('mounted without a prefix, unknown paths stay with the host app', async (t) => {
  const host = Fastify();
  t.teardown(() => host.close());
  host.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'nothing here' }));
  await host.register(chunksmith, { config: { workers: 0 } });
  await host.listen({ host: '127.0.0.1', port: 0 });
  const client = clientFor(`http://127.0.0.1:${(host.server.address() as AddressInfo).port}`);
  t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200);
  t.same((await client.get('/nothing')).json(), { host: 'nothing here' });
  checkProblem(t, await client.get('/v1/chunk/token'), 405, /use POST/);
});
