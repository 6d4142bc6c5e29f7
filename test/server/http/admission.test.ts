import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Config } from '../../../server/config/config.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, metricOf, speak, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { linesIn } from '../cli/cli.ts';
import { openConnection, postBytes } from './connection.ts';

/** Who is turned away while there is too much to do, and who goes first. */

const ORIGIN = 'https://app.example';
const BODY = { text: 'a' };
const GATED = '/v1/chunk/gated';

/** A server of one thread, with a chunker that keeps it busy with texts that begin with "a" until the gate opens. */
async function startGated(t: Test, config: Partial<Config> = {}) {
  const gate = join(await temporaryFolder(t), 'gate');
  const body = `const { existsSync } = await import('node:fs');
    while (text.startsWith('a') && !existsSync(${JSON.stringify(gate)})) {
      await new Promise((done) => setTimeout(done, 10));
    }
    ${WHOLE_TEXT}`;
  const pluginsDir = [await pluginsFolder(t, chunker('gated', body))];
  const plugins = ['token', 'character', 'gated'];
  const client = await startServer(t, { workers: 1, pluginsDir, plugins, ...config });
  const open = () => writeFile(gate, '');
  t.teardown(open);
  return { ...client, open };
}

/** Headers that say nothing of when and for whom an answer was made. */
function fixedHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'));
}

t.test('a full queue turns away at once what would wait in it, and nothing else', async (t) => {
  const logTo = join(await temporaryFolder(t), 'log');
  const logged = { logTo, logLevel: 'info', logFormat: 'json' } as const;
  const server = await startGated(t, { queueSize: 1, inlineBytes: 0, ...logged });
  const { get, post, port, open } = server;
  const steps = [{ type: 'chunk', chunker: 'token', config: {} }];
  const { id } = (await post('/v1/pipelines', { name: 'one', steps })).json<{ id: string }>();
  t.same((await get('/ready')).json(), { status: 'ready' });
  const busy = [post(GATED, BODY), post(GATED, BODY)];
  const ready = await until(async () => {
    const answer = await get('/ready');
    return answer.status === 503 && answer;
  });
  t.equal(ready.headers.get('retry-after'), '1');

  const refused = await post(GATED, BODY, { 'x-request-id': 'mine' });
  checkProblem(t, refused, 503, /its queue is full: try again in 1 s/);
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal(refused.headers.get('x-request-id'), 'mine');
  const fromPage = await post(GATED, BODY, { origin: ORIGIN });
  t.equal(fromPage.status, 503);
  t.same(fixedHeaders(refused), fixedHeaders(fromPage), 'the headers are those of every answer');
  t.same(refused.bytes, fromPage.bytes);
  const others = await Promise.all([
    post('/v1/chunk/token/?a=secret', BODY),
    post(`/v1/pipelines/${id}/execute`, BODY),
    post('/v1/chunk/nothing', BODY),
    get('/v1/chunk/token'),
    post('/v1/pipelines', { name: 'two', steps }),
    get('/health'),
  ]);
  const statuses = others.map(({ status }) => status);
  t.same(statuses, [503, 503, 404, 405, 201, 200]);
  t.match(others[0]?.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  const two = await openConnection(t, port);
  two.socket.write(postBytes(GATED, { text: 'a'.repeat(1_000_000) }));
  two.socket.write('GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  await two.over();
  t.match(two.answers(), [{ status: 503 }, { status: 200 }], 'its connection is kept');
  for (const origin of ['', `origin: ${ORIGIN}\r\n`]) {
    const head = `host: a\r\n${origin}content-type: application/json\r\ncontent-length: 1000000`;
    const answer = await speak(port, `POST ${GATED} HTTP/1.1\r\n${head}\r\n\r\n`);
    t.match(answer, /^HTTP\/1.1 503 /, 'before the body has come');
  }

  await open();
  for (const answer of await Promise.all(busy)) t.equal(answer.status, 200);
  t.equal((await get('/ready')).status, 200, 'at once');
  t.equal((await post('/v1/chunk/token', BODY)).status, 200, 'there is room again');
  const counts = { [GATED]: 5, '/v1/chunk/token': 1, '/v1/pipelines/:pipeline_id/execute': 1 };
  for (const [route, count] of Object.entries(counts)) {
    const name = `request_seconds_count{route="${route}",method="POST",status="503"}`;
    t.equal(await metricOf(server, name), count, route);
  }
  const lines = linesIn<Record<string, unknown>>(await readFile(logTo, 'utf8'));
  const mine = lines.find(({ reqId }) => reqId === 'mine');
  t.match(mine, { method: 'POST', path: GATED, status: 503, ms: Number });
  t.notMatch(JSON.stringify(lines), /secret/);
});

t.test('a page that may read answers may read refusals; no keys are looked up for these', async (t) => {
  const { get, post, open } = await startGated(t, { queueSize: 0, corsOrigins: [ORIGIN], apiKeys: 'key' });
  const key = { authorization: 'Bearer key' };
  const busy = post(GATED, BODY, key);
  await until(async () => (await get('/ready')).status === 503);
  const large = { text: 'b'.repeat(5000) };
  const refused = await post(GATED, large, { origin: ORIGIN, ...key });
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('access-control-allow-origin'), ORIGIN);
  t.equal((await post(GATED, large)).status, 503);
  await open();
  t.equal((await busy).status, 200);
  t.equal((await post(GATED, large)).status, 401);
});

t.test('small requests do not wait behind large ones, and bodies together are bounded', async (t) => {
  const server = await startGated(t, { maxBytesInFlight: 1_000_000 });
  const { post, send, open } = server;
  const text = 'a'.repeat(320_000);
  const large = [1, 2, 3].map(() => post(GATED, { text }));
  await until(async () => (await metricOf(server, 'queue_depth')) === 2);
  const small = await Promise.all(Array.from({ length: 5 }, () => post(GATED, { text: 'b' })));
  for (const { status } of small) t.equal(status, 200, 'while the large ones wait');

  const more = { text: 'b'.repeat(50_000) };
  t.equal(await metricOf(server, 'bytes_in_flight'), 960_033);
  const refused = await post(GATED, more);
  checkProblem(t, refused, 503, /would take 1010\d+ bytes, over the limit of 1000000/);
  t.equal(refused.headers.get('retry-after'), '1');
  const body = new Blob([JSON.stringify(more)]).stream();
  const headers = { 'content-type': 'application/json' };
  const unannounced = await send(GATED, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  t.equal(unannounced.status, 503, 'also where it is not said how long a body is');
  await open();
  for (const { status } of await Promise.all(large)) t.equal(status, 200);
  t.equal((await post(GATED, more)).status, 200, 'there is room again');
  t.equal(await metricOf(server, 'bytes_in_flight'), 0);
});
