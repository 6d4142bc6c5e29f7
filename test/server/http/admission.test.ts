import { connect } from 'node:net';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';
import { type Answer, type Client, speak, startServer, temporaryFolder } from '../../support/server.ts';

const ORIGIN = 'https://app.example';
const BODY = { text: 'a' };

/** A chunker that keeps a worker thread busy. */
const slow = chunker('slow', `const end = Date.now() + 2000; while (Date.now() < end) {} ${WHOLE_TEXT}`);

/** Headers that say nothing of when and for whom an answer was made. */
function fixedHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'));
}

/** Fills the one thread and the queue without room, and gives what will be answered. */
async function fill({ get, post }: Client): Promise<{ readonly busy: Promise<Answer> }> {
  const busy = post('/v1/chunk/slow', BODY);
  await until(async () => (await get('/ready')).status === 503);
  return { busy };
}

t.test('a full queue turns away at once what would wait in it, and nothing else', async (t) => {
  const pluginsDir = await pluginsFolder(t, slow);
  const flags = ['--workers', '1', '--queue-size', '0', '--inline-bytes', '0', '--plugins-dir', pluginsDir];
  const server = startProcess(t, ['--port', '0', '--data-dir', await temporaryFolder(t), ...flags]);
  const client = await server.listening();
  const { get, post, send } = client;
  const steps = [{ type: 'chunk', chunker: 'token', config: {} }];
  const { id } = (await post('/v1/pipelines', { name: 'one', steps })).json<{ id: string }>();
  const { busy } = await fill(client);

  const refused = await post('/v1/chunk/slow', BODY, { 'x-request-id': 'mine' });
  t.equal(refused.status, 503);
  t.match(refused.json(), { detail: /its queue is full: try again in 1 s/ });
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal(refused.headers.get('x-request-id'), 'mine');
  const fromPage = await post('/v1/chunk/slow', BODY, { origin: ORIGIN });
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
  t.same(
    others.map(({ status }) => status),
    [503, 503, 404, 405, 201, 200],
  );
  t.match(others[0]?.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  t.match(
    await twoOnOneConnection(client.port),
    /^HTTP\/1.1 503 .*HTTP\/1.1 200 /s,
    'its connection is kept',
  );
  for (const origin of ['', `origin: ${ORIGIN}\r\n`]) {
    const head = `host: a\r\n${origin}content-type: application/json\r\ncontent-length: 1000000`;
    const answer = await speak(client.port, `POST /v1/chunk/slow HTTP/1.1\r\n${head}\r\n\r\n`);
    t.match(answer, /^HTTP\/1.1 503 /, 'before the body has come');
  }

  t.equal((await busy).status, 200);
  t.equal((await post('/v1/chunk/token', BODY)).status, 200, 'there is room again');
  const metrics = (await get('/metrics')).bytes.toString();
  for (const [route, count] of [
    ['/v1/chunk/slow', 5],
    ['/v1/chunk/token', 1],
    ['/v1/pipelines/:pipeline_id/execute', 1],
  ] as const) {
    const line = `chunksmith_request_seconds_count{route="${route}",method="POST",status="503"} ${count}\n`;
    t.ok(metrics.includes(line), line);
  }
  const lines = server
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"status":503'));
  t.match(JSON.parse(lines.find((line) => line.includes('"mine"')) ?? '{}'), {
    reqId: 'mine',
    method: 'POST',
    path: '/v1/chunk/slow',
    ms: Number,
    msg: 'answered',
  });
  t.notMatch(server.stdout(), /secret/);
  t.equal((await send('/ready')).status, 200);
});

t.test('a page that may read answers may read refusals', async (t) => {
  const pluginsDir = [await pluginsFolder(t, slow)];
  const client = await startServer(t, { pluginsDir, workers: 1, queueSize: 0, corsOrigins: [ORIGIN] });
  const { busy } = await fill(client);
  const refused = await client.post('/v1/chunk/slow', { text: 'a'.repeat(5000) }, { origin: ORIGIN });
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('access-control-allow-origin'), ORIGIN);
  t.equal((await busy).status, 200);
});

t.test('nothing is looked up for what is turned away, not even keys', async (t) => {
  const pluginsDir = [await pluginsFolder(t, slow)];
  const client = await startServer(t, { pluginsDir, workers: 1, queueSize: 0, apiKeys: 'key' });
  const authorization = 'Bearer key';
  const busy = client.post('/v1/chunk/slow', BODY, { authorization });
  await until(async () => (await client.get('/ready')).status === 503);
  const text = 'a'.repeat(5000);
  t.equal((await client.post('/v1/chunk/slow', { text })).status, 503);
  t.equal((await busy).status, 200);
  t.equal((await client.post('/v1/chunk/slow', { text })).status, 401);
});

/** All that comes back for a large body that is refused and a request right behind it. */
function twoOnOneConnection(port: number): Promise<string> {
  const body = JSON.stringify({ text: 'a'.repeat(1_000_000) });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}`;
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
    socket.setEncoding('utf8').on('data', (part) => (received += part));
    socket.once('error', reject).once('close', () => resolve(received));
    socket.write(`POST /v1/chunk/slow HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${body}`);
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  });
}
