import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startProcess, until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOCAL = ['--host', '127.0.0.1', '--port', '0'];
const SLOW = `await new Promise((done) => setTimeout(done, 800)); ${WHOLE_TEXT}`;

t.test('npm start runs the file that these tests run', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  t.equal(scripts.start, 'exec node server/main.ts');
});

t.test('a server in a process of its own', async (t) => {
  const secret = 'sk-12345';
  const plugins = await pluginsFolder(
    t,
    chunker('failing', `throw new Error('the key ${secret} is wrong');`, { light: true }),
    plugin(
      { kind: 'chunker', name: 'slow', light: true },
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
      const chunks = await client.chunk('token', { text });
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
      t.ok(await until(() => /"level":"error".*the key sk-12345 is wrong/.test(logged())));
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
