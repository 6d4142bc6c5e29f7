import { spawn, spawnSync } from 'node:child_process';
import t, { type Test } from 'tap';
import { needs } from '../../support/here.ts';
import { FIXTURES, plugin, pluginsFolder } from '../../support/plugins.ts';
import { type ServerProcess, startProcess, until } from '../../support/process.ts';
import { clientFor, temporaryFolder } from '../../support/server.ts';

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory'];
const HEADERS = { 'x-request-id': 'mine' };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

function linesOf(server: ServerProcess): Line[] {
  return server
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The lines with a message, once there are so many. */
async function linesWith(server: ServerProcess, message: string, count = 1): Promise<Line[]> {
  const found = () => linesOf(server).filter(({ msg }) => msg.startsWith(message));
  await until(() => found().length >= count);
  return found();
}

t.test('JSON lines: level names, ISO times, and one line per request with its numbers', async (t) => {
  const server = startProcess(t, LOCAL);
  const client = await server.listening();
  const body = { text: ['One. Two.', 'Three.'], chunk_size: 5 };
  const answers = (await client.post('/v1/chunk/token', body, HEADERS)).json<unknown[][]>();
  await client.post('/v1/chunk/token', { text: 'large '.repeat(2000) });
  await client.post('/v1/chunk/token', { text: 1 });
  await client.post('/v1/pipelines', { name: 'a', steps: [] });
  await client.get('/health');
  const lines = await linesWith(server, 'answered', 5);
  for (const line of linesOf(server)) {
    t.equal(line.level, 'info');
    t.match(line.time, ISO);
  }
  const path = '/v1/chunk/token';
  const [first, large, refused, pipeline, health] = lines;
  t.match(first, {
    reqId: 'mine',
    method: 'POST',
    path,
    status: 200,
    documents: 2,
    chunks: answers.flat().length,
  });
  t.equal(first?.bytes, JSON.stringify(body).length);
  t.type(first?.ms, 'number');
  t.match(large, { status: 200, bytes: 12_011, documents: 1, chunks: 24 });
  t.match(refused, { status: 400, bytes: 10, documents: undefined, chunks: undefined });
  t.match(pipeline, { status: 201, bytes: 23 });
  t.match(health, { method: 'GET', path: '/health', status: 200, bytes: undefined });
});

t.test(
  '--log-level debug says where the time went and what was opened',
  needs('tokenizer/tiktoken'),
  async (t) => {
    const server = startProcess(t, [...LOCAL, '--log-level', 'DEBUG', '--workers', '0']);
    const client = await server.listening();
    await client.post('/v1/chunk/token', { text: 'secret words', tokenizer: 'cl100k_base' }, HEADERS);
    const [worked] = await linesWith(server, 'worked');
    t.match(worked, { level: 'debug', reqId: 'mine', queueMs: Number, tokens: 2, opened: [] });
    t.match(worked?.stages, { 'parse json': Number, 'chunk token': Number, 'serialise json': Number });
    t.match(await linesWith(server, 'opened a tokenizer'), [{ tokenizer: 'cl100k_base', ms: Number }]);
    t.notMatch(server.stdout(), /secret/);
  },
);

t.test('and which model', needs('embedding/static', 'tokenizer/huggingface'), async (t) => {
  const server = startProcess(t, [...LOCAL, '--log-level', 'debug', '--workers', '0']);
  const client = await server.listening();
  await client.post('/v1/embed', { text: 'secret words' });
  t.match(await linesWith(server, 'opened a model'), [{ ms: Number }]);
  t.notMatch(server.stdout(), /secret/);
});

t.test('the line of the start says where the server is, what it has and who is let in', async (t) => {
  const dataDir = await temporaryFolder(t);
  const args = ['--host', '127.0.0.1', '--port', '0', '--data-dir', dataDir, '--rate-limit', '60'];
  const env = { API_KEYS: 'k1-secret,k2-secret', PLUGINS: 'token,character' };
  const server = startProcess(t, [...args, '--cors-origins', 'https://app.example'], { env });
  const { url } = await server.listening();
  const lines = linesOf(server);
  t.match(lines, [
    {
      msg: `Server listening at ${url}`,
      docs: `${url}/docs`,
      data: dataDir,
      store: `${dataDir}/chunksmith.db`,
      plugins: 'token, character',
      keys: 'on, 2',
      cors: 'https://app.example',
      rateLimit: '60 a minute',
    },
  ]);
  t.equal(lines.length, 1);
  t.notMatch(server.stdout(), /secret/);

  const plain = startProcess(t, LOCAL);
  await plain.listening();
  t.match(linesOf(plain), [{ store: 'memory', keys: 'off', cors: 'off', rateLimit: 'off' }]);
});

t.test('it says that it listens only once its store is open', async (t) => {
  const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/nothing' };
  const server = startProcess(t, ['--host', '127.0.0.1', '--port', '0'], { env });
  t.equal(await server.ended(), 2);
  t.equal(server.stdout(), '');
  t.match(server.stderr(), /^Cannot open the database, PostgreSQL at 127\.0\.0\.1:1\/nothing: .*\n$/);
});

t.test('what a request asks for and is not here is a warning without a stack', async (t) => {
  const needs = { env: ['NO_SUCH_KEY'] };
  const keyless = { kind: 'embedding', name: 'keyless', models: ['keyless/*'], needs };
  const folder = await pluginsFolder(t, plugin(keyless, 'export default () => ({});'));
  const server = startProcess(t, [...LOCAL, '--plugins-dir', folder]);
  const client = await server.listening();
  for (const embedding_model of ['keyless/one', 'no/such-model', 'misspelt'])
    await client.post('/v1/embed', { text: 'a', embedding_model });
  await client.post('/v1/chunk/token', { text: 'a', tokenizer: 'misspelt' });
  await linesWith(server, 'answered', 4);
  const levels = new Set(linesOf(server).map(({ level }) => level));
  t.same([...levels].sort(), ['info', 'warn']);
  t.notMatch(server.stdout(), /\\n\s+at |"err"/);
});

t.test('--log-format pretty: lines for people, one for each request', async (t) => {
  const server = startProcess(t, [...LOCAL, '--log-format', 'pretty']);
  const client = await server.listening();
  await client.post('/v1/chunk/token', { text: 'eight ch', chunk_size: 4 }, HEADERS);
  await client.get('/health');
  await until(() => server.stdout().includes('GET /health'));
  const said = server.stdout();
  t.match(said, /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: Server listening at http:\/\/127\.0\.0\.1:\d+\n/);
  t.match(said, /\n {4}docs: "http:.*\/docs"\n/);
  t.match(
    said,
    /\] INFO: POST \/v1\/chunk\/token 200, 34 bytes, 1 document, 2 chunks, [\d.]+ ms \(mine\)\n\[/,
  );
  t.match(said, /\] INFO: GET \/health 200, [\d.]+ ms \([\w-]+\)\n$/);
});

const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'there is no program `script`';

/** What a server prints on a terminal until it has opened a tokenizer in a worker thread. */
async function onTerminal(t: Test, args: string): Promise<string> {
  const command = `unset NODE_OPTIONS; exec ${process.execPath} server/main.ts ${LOCAL.join(' ')} --plugins-dir ${FIXTURES} ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
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
