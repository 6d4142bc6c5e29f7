import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { FIXTURES, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { freePort, startProcess } from '../../../support/process.ts';
import { clientFor, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** Servers in processes of their own: how they start, what they print, and how they end. */

const ROOT = join(import.meta.dirname, '../../../..');
const LOCAL = ['--host', '127.0.0.1', '--port', '0'];
const SMALL = [...LOCAL, '--store', 'memory', '--workers', '0'];

t.test('npm start runs the file that these tests run', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  t.equal(scripts.start, 'exec node server/main.ts');
});

/** The exit code of the image's health check, asked about a process. */
function health(pid: number | undefined): number | null {
  const command = 'unset NODE_OPTIONS; exec "$0" "$@"';
  return spawnSync('sh', ['-c', command, process.execPath, join(ROOT, 'server/cli/health.ts'), String(pid)], {
    env: { PATH: process.env.PATH, PORT: '1', HOST: '192.0.2.1' },
  }).status;
}

/** The index of a chunker that logs that it begins, and then takes so long. */
const waiting = (name: string, milliseconds: number) => `export default ({ log }) => ({ async chunk(text) {
  log.info({}, '${name} begins');
  await new Promise((done) => setTimeout(done, ${milliseconds}));
  ${WHOLE_TEXT}
} });`;

t.test('a server in a process of its own', async (t) => {
  const slow = plugin({ kind: 'chunker', name: 'slow', light: true }, waiting('slow', 800));
  const cwd = await temporaryFolder(t);
  const PLUGINS_DIR = await pluginsFolder(t, slow);
  const env = { HF_TOKEN: 'hf_abcdef', PLUGINS_DIR, WORKERS: '1', INLINE_BYTES: '1000' };
  const args = ['--host', '127.0.0.1', '--port', String(await freePort()), '--log-level', 'debug'];
  const server = startProcess(t, args, { env, cwd });
  const client = await server.listening();
  const large = 'large '.repeat(500);

  await t.test('answers, from whatever folder it was started', async (t) => {
    t.same((await client.get('/health')).json(), { status: 'ok' });
    for (const text of ['small', large]) {
      const chunks = await client.chunk('token', { text });
      t.equal(chunks.map((chunk) => chunk.text).join(''), text);
    }
  });

  await t.test('logs JSON lines, one of them that it listens, and never tokens', async (t) => {
    await until(() => server.stdout().includes('"path":"/v1/chunk/token","status":200'));
    const lines = server.stdout().trim().split('\n');
    t.equal(lines.map((line) => JSON.parse(line).msg).filter((msg) => /listening/.test(msg)).length, 1);
    t.notMatch(server.stdout(), /hf_abcdef/);
  });

  await t.test('ends at SIGTERM with code 0, after it has finished what is in flight', async (t) => {
    // Only Linux shows the command of another process.
    if (process.platform === 'linux') t.equal(health(server.child.pid), 0, 'it is healthy');
    const unused = connect(client.port, '127.0.0.1');
    t.teardown(() => unused.destroy());
    const inFlight = ['small', large].map((text) => client.post('/v1/chunk/slow', { text }));
    await until(() => server.stdout().split('slow begins').length === 3);
    server.child.kill('SIGTERM');
    const answers = await Promise.all(inFlight);
    t.same([answers[0]?.status, answers[1]?.status], [200, 200]);
    t.same(answers[1]?.json(), [{ text: large, start_index: 0, end_index: 3000, token_count: 3000 }]);
    t.equal(await server.ended(), 0, 'an unused connection does not hold it');
    await t.rejects(client.get('/health'), 'nobody listens any more');
    t.equal(server.stderr(), '');
    t.equal(health(server.child.pid), 1, 'a server that has ended is not healthy');
  });
});

t.test('a port in use ends the start with code 2, in plain words; SIGINT ends a server too', async (t) => {
  const server = startProcess(t, SMALL);
  const { port } = await server.listening();
  const second = startProcess(t, [...SMALL, '--port', String(port)]);
  t.equal(await second.ended(), 2);
  t.match(second.stderr(), new RegExp(`^.*127\\.0\\.0\\.1:${port}.* in use.*--port`, 'i'));
  t.notMatch(second.stderr(), /\n\s+at /);
  server.child.kill('SIGINT');
  t.equal(await server.ended(), 0);
});

t.test('it says that it listens only once its store is open', async (t) => {
  const env = { DATABASE_URL: 'postgresql://user:secret@127.0.0.1:1/nothing' };
  const server = startProcess(t, LOCAL, { env });
  t.equal(await server.ended(), 2);
  t.equal(server.stdout(), '');
  const said =
    /^Cannot open the database, PostgreSQL at 127\.0\.0\.1:1\/nothing: the database does not answer; check.*\n$/;
  t.match(server.stderr(), said);
  t.notMatch(server.stderr(), 'secret');
});

t.test('does not wait for ever: a second signal, or the end of the grace, ends it at once', async (t) => {
  const endless = plugin({ kind: 'chunker', name: 'endless' }, waiting('endless', 60_000));
  const plugins = await pluginsFolder(t, endless);
  const env = { PLUGINS_DIR: plugins, WORKERS: '1', DATA_DIR: await temporaryFolder(t) };
  for (const [grace, signals] of [
    ['60', ['SIGTERM', 'SIGINT']],
    ['1', ['SIGTERM']],
  ] as const) {
    const server = startProcess(t, [...LOCAL, '--shutdown-grace', grace], { env });
    const client = await server.listening();
    const kept = await client.post('/v1/pipelines', { name: `${signals} ${grace}`, steps: [] });
    t.equal(kept.status, 201);
    const refused = t.rejects(client.post('/v1/chunk/endless', { text: 'x'.repeat(100_000) }));
    await until(() => server.stdout().includes('endless begins'));
    for (const signal of signals) {
      server.child.kill(signal);
      await until(() => server.stdout().includes('"msg":"stopping"'));
    }
    t.equal(await server.ended(), 1, `${signals}, grace ${grace}: not all was finished`);
    await refused;
  }
  const after = startProcess(t, [...LOCAL, '--workers', '0'], { env });
  const pipelines = (await (await after.listening()).get('/v1/pipelines')).json<unknown[]>();
  t.equal(pipelines.length, 2, 'nothing that was answered is lost');
});

const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'there is no program `script`';

/** What a server prints on a terminal until it has opened a tokenizer in a worker thread. */
async function onTerminal(t: Test, args: string): Promise<string> {
  const flags = [...LOCAL, '--store', 'memory', '--workers', '1', '--plugins-dir', FIXTURES].join(' ');
  const command = `unset NODE_OPTIONS; exec ${process.execPath} server/main.ts ${flags} ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT });
  t.teardown(() => child.kill());
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await until(() => /listening at (http:\/\/[\d.]+:\d+)/.exec(said)?.[1]);
  await clientFor(url).post('/v1/tokenize', { text: 'large '.repeat(2000), tokenizer: 'words' });
  await until(() => said.includes('opened a tokenizer'));
  return said;
}

t.test('on a terminal it is pretty by itself, in worker threads too', { skip: noTerminal }, async (t) => {
  const pretty = await onTerminal(t, '--log-level debug');
  t.match(pretty, /INFO.*Server listening at http/);
  t.match(pretty, /DEBUG.*opened a tokenizer, \d+ ms/);
  t.notMatch(pretty, /"level"/);
  const json = await onTerminal(t, '--log-level debug --log-format json');
  for (const line of json.trim().split('\n')) t.match(JSON.parse(line).level, /^(debug|info)$/);
});
