import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { buildApp } from '../../../server/app.ts';
import { announce } from '../../../server/cli/run-server.ts';
import { type Config, configOf } from '../../../server/config/config.ts';
import { createLog } from '../../../server/config/log.ts';
import { loadPlugins } from '../../../server/plugins/loader/loader.ts';
import { needs } from '../../support/here.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, temporaryFolder, withStandIns } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { linesIn } from './cli.ts';

/** The log of a server, in a file; processes/server.test.ts has the line of its start, and terminals. */

const HEADERS = { 'x-request-id': 'mine' };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** A server whose log is kept. */
async function withLog(t: Test, config: Partial<Config>) {
  const logTo = join(await temporaryFolder(t), 'log');
  const client = await startServer(t, { logLevel: 'info', logFormat: 'json', logTo, ...config });
  const text = () => readFile(logTo, 'utf8').catch(() => '');
  const lines = async () => linesIn<Line>(await text());
  /** The lines with a message, once there are so many. */
  const linesWith = (message: string, count = 1): Promise<Line[]> =>
    until(async () => {
      const found = (await lines()).filter(({ msg }) => msg.startsWith(message));
      return found.length >= count && found;
    });
  return { client, text, lines, linesWith };
}

t.test('JSON lines: level names, ISO times, and one line per request with its numbers', async (t) => {
  const { client, lines, linesWith } = await withLog(t, {});
  const body = { text: ['One. Two.', 'Three.'], chunk_size: 5 };
  const answers = (await client.post('/v1/chunk/token', body, HEADERS)).json<unknown[][]>();
  await client.post('/v1/chunk/token', { text: 'large '.repeat(2000) });
  await client.post('/v1/chunk/token', { text: 1 });
  await client.post('/v1/pipelines', { name: 'a', steps: [] });
  await client.get('/health');
  const path = '/v1/chunk/token';
  const [first, large, refused, pipeline, health] = await linesWith('answered', 5);
  for (const line of await lines()) {
    t.equal(line.level, 'info');
    t.match(line.time, ISO);
  }
  const chunks = answers.flat().length;
  t.match(first, { reqId: 'mine', method: 'POST', path, status: 200, documents: 2, chunks });
  t.equal(first?.bytes, JSON.stringify(body).length);
  t.type(first?.ms, 'number');
  t.match(large, { status: 200, bytes: 12_011, documents: 1, chunks: 24 });
  t.match(refused, { status: 400, bytes: 10, documents: undefined, chunks: undefined });
  t.match(pipeline, { status: 201, bytes: 23 });
  t.match(health, { method: 'GET', path: '/health', status: 200, bytes: undefined });
});

const OF_TOKENS = needs('tokenizer/tiktoken');
t.test('--log-level debug says where the time went and what was opened', OF_TOKENS, async (t) => {
  const { client, text, linesWith } = await withLog(t, { logLevel: 'debug' });
  await client.post('/v1/chunk/token', { text: 'secret words', tokenizer: 'cl100k_base' }, HEADERS);
  const [worked] = await linesWith('worked');
  t.match(worked, { level: 'debug', reqId: 'mine', queueMs: Number, tokens: 2, opened: [] });
  t.match(worked?.stages, { 'parse json': Number, 'chunk token': Number, 'serialise json': Number });
  t.match(await linesWith('opened a tokenizer'), [{ tokenizer: 'cl100k_base', ms: Number }]);
  t.notMatch(await text(), /secret/);
});

t.test('and which model', needs('embedding/static', 'tokenizer/huggingface'), async (t) => {
  const { client, text, linesWith } = await withLog(t, { logLevel: 'debug' });
  await client.post('/v1/embed', { text: 'secret words' });
  t.match(await linesWith('opened a model'), [{ ms: Number }]);
  t.notMatch(await text(), /secret/);
});

const NO_WORD = 'vectors that say nothing are a warning, one for each request';
t.test(NO_WORD, needs('embedding/static', 'tokenizer/huggingface'), async (t) => {
  const { client, linesWith } = await withLog(t, {});
  await client.post('/v1/embed', { text: ['***', 'tea'] }, HEADERS);
  await client.post('/v1/embed', { text: 'tea' });
  await linesWith('answered', 2);
  t.match(await linesWith('embedding'), [{ level: 'warn', reqId: 'mine', texts: 1 }]);
});

t.test('texts and tokens are never logged; why a plugin failed is, here and in a worker', async (t) => {
  const fails = "throw new Error('the key sk-12345 is wrong');";
  const folder = await pluginsFolder(t, chunker('failing', fails, { light: true }));
  const config = { logLevel: 'debug', pluginsDir: [folder], workers: 1, inlineBytes: 1000 };
  const { client, text, linesWith } = await withLog(t, config);
  await client.post('/v1/chunk/token?from=query', { text: 'private words' });
  await client.post('/v1/chunk/token', { text: 'private words', chunk_size: 'wrong' });
  await client.post('/v1/chunk/token', `{"text": "private words ${'x'.repeat(2000)}`);
  const logged = await linesWith('answered', 3);
  for (const { path } of logged) t.equal(path, '/v1/chunk/token');
  const statuses = logged.map(({ status }) => status);
  t.same(statuses, [200, 400, 400]);
  t.notMatch(await text(), /private words|from=query/);
  for (const sent of ['small', 'large '.repeat(500)]) {
    const before = (await text()).length;
    const answer = await client.post('/v1/chunk/failing', { text: sent }, HEADERS);
    checkProblem(t, answer, 500, /^The chunker "failing" failed: an unexpected error/);
    t.equal(answer.headers.get('x-request-id'), 'mine');
    const more = async () => (await text()).slice(before);
    t.ok(await until(async () => /"level":"error".*the key sk-12345 is wrong/.test(await more())));
    t.match(await more(), /"reqId":"mine"/);
  }
});

t.test('the line of the start says where the server is, what it has and who is let in', async (t) => {
  const startLine = async (config: Partial<Config>) => {
    const dataDir = await temporaryFolder(t);
    const logTo = join(dataDir, 'log');
    const plugins = ['token', 'character'];
    const own = { dataDir, logTo, logLevel: 'info', logFormat: 'json', workers: 0, plugins };
    const whole = configOf({ ...own, host: '127.0.0.1', ...withStandIns(config) });
    const registry = await loadPlugins(whole, {});
    const app = await buildApp(whole, { registry, onOpen: () => announce(app, whole, registry) });
    t.teardown(() => app.close());
    const url = await app.listen({ host: whole.host, port: 0 });
    const written = async () => /^(.*"docs".*)\n/m.exec(await readFile(logTo, 'utf8')) ?? false;
    const [, line = ''] = await until(written);
    t.notMatch(line, /secret/);
    return { line: JSON.parse(line), dataDir, url };
  };
  const guarded = { apiKeys: 'k1-secret,k2-secret', rateLimit: 60, corsOrigins: ['https://app.example'] };
  const { line, dataDir, url } = await startLine(guarded);
  t.match(line, {
    msg: `Server listening at ${url}`,
    docs: `${url}/docs`,
    data: dataDir,
    store: `${dataDir}/chunksmith.db`,
    plugins: 'token, character',
    keys: 'on, 2',
    cors: 'https://app.example',
    rateLimit: '60 per minute and address',
  });
  const plain = await startLine({ store: 'memory' });
  t.match(plain.line, { store: 'memory', keys: 'off', cors: 'off', rateLimit: 'off' });
});

t.test('what a request asks for and is not here is a warning without a stack', async (t) => {
  const keyless = { kind: 'embedding', name: 'keyless', models: ['keyless/*'] };
  const needs = { env: ['NO_SUCH_KEY'] };
  const folder = await pluginsFolder(t, plugin({ ...keyless, needs }, 'export default () => ({});'));
  const { client, text, lines, linesWith } = await withLog(t, { pluginsDir: [folder] });
  for (const embedding_model of ['keyless/one', 'no/such-model', 'misspelt'])
    await client.post('/v1/embed', { text: 'a', embedding_model });
  await client.post('/v1/chunk/token', { text: 'a', tokenizer: 'misspelt' });
  await linesWith('answered', 4);
  t.same([...new Set((await lines()).map(({ level }) => level))].sort(), ['info', 'warn']);
  t.notMatch(await text(), /\\n\s+at |"err"/);
});

t.test('--log-format pretty: lines for people, one for each request', async (t) => {
  const { client, text } = await withLog(t, { logFormat: 'pretty' });
  await client.post('/v1/chunk/token', { text: 'eight ch', chunk_size: 4 }, HEADERS);
  await client.get('/health');
  await until(async () => (await text()).includes('GET /health'));
  const said = await text();
  t.match(said, /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: Server listening at http:\/\/127\.0\.0\.1:\d+\n/);
  const request =
    /\] INFO: POST \/v1\/chunk\/token 200, 34 bytes, 1 document, 2 chunks, [\d.]+ ms \(mine\)\n\[/;
  t.match(said, request);
  t.match(said, /\] INFO: GET \/health 200, [\d.]+ ms \([\w-]+\)\n$/);
});

const noFullDisk = !existsSync('/dev/full') && 'there is no /dev/full';

t.test('a log on a full disk ends nothing, and keeps nobody waiting', { skip: noFullDisk }, async (t) => {
  const full = { logLevel: 'info', logFormat: 'json', logTo: '/dev/full' };
  const client = await startServer(t, full);
  for (let count = 0; count < 3; count++) t.equal((await client.get('/v1/nothing')).status, 404);
  const log = createLog(full);
  for (let bytes = 0; bytes < 3e6; bytes += 1e5) log.info({}, 'a'.repeat(1e5));
  log.fatal({}, 'written before the process ends');
});
