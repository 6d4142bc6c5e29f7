import t, { type Test } from 'tap';
import { needs } from '../../support/here.ts';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { type Client, startServer } from '../../support/server.ts';

const ORIGIN = 'https://app.example';

const LIMITS = {
  maxDocuments: 2,
  maxCharacters: 10,
  maxChunks: 3,
  maxDelimiters: 2,
  maxDelimiterCharacters: 4,
  maxSteps: 1,
  maxBodyBytes: 2000,
};

type Refused = readonly (readonly [path: string, body: object, numbers: RegExp])[];

async function checkRefused(t: Test, { post }: Client, cases: Refused): Promise<void> {
  for (const [path, body, numbers] of cases) {
    const answer = await post(`/v1/${path}`, body);
    t.equal(answer.status, 400, path);
    t.match(answer.json<{ detail: string }>().detail, numbers);
  }
}

t.test('a number that is over its limit is named, with the limit and the flag', async (t) => {
  const client = await startServer(t, { ...LIMITS, pluginsDir: [FIXTURES] });
  const { post } = client;
  const chunk = { text: 'a', start_index: 0, end_index: 1, token_count: 1 };
  const step = { type: 'chunk', chunker: 'token', config: {} };
  await checkRefused(t, client, [
    ['chunk/token', { text: ['a', 'b', 'c'] }, /^text: 3 texts, .* 2; .*--max-documents/],
    ['chunk/token', { text: 'a'.repeat(11) }, /^text: 11 characters, .* 10; .*--max-characters/],
    ['chunk/token', { text: ['a', 'a'.repeat(11)] }, /^text\[1\]: 11 characters/],
    ['refine/shout', { chunks: [chunk, chunk, chunk, chunk] }, /^chunks: 4 chunks, .* 3; .*--max-chunks/],
    ['refine/shout', { chunks: [[chunk], [chunk], [chunk]] }, /^chunks: 3 lists, .* 2; /],
    ['pipelines', { name: 'a', steps: [step, step] }, /^steps: expected at most 1 steps, got 2/],
  ]);
  t.equal((await post('/v1/chunk/token', { text: 'a'.repeat(3000) })).status, 413);
  t.equal((await post('/v1/chunk/token', { text: ['a'.repeat(10), 'b'] })).status, 200);
});

t.test('so are delimiters that are too many or too long', needs('chunker/sentence'), async (t) => {
  const delim = ['a', 'b', 'c'];
  const steps = [{ type: 'chunk', chunker: 'sentence', config: { delim } }];
  await checkRefused(t, await startServer(t, LIMITS), [
    ['chunk/sentence', { text: 'a', delim }, /^delim: 3 entries, .* 2; .*--max-delimiters/],
    ['chunk/sentence', { text: 'a', delim: ['abcde'] }, /^delim\[0\]: 5 characters, .* 4; /],
    ['pipelines', { name: 'a', steps }, /^steps\[0\]\.config\.delim: 3/],
  ]);
});

t.test('bodies together are bounded, also where they do not say how long they are', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('wait', `await new Promise((done) => setTimeout(done, 500)); ${WHOLE_TEXT}`),
  );
  const { post, send, get } = await startServer(t, { pluginsDir: [folder], maxBytesInFlight: 100_000 });
  const text = 'a'.repeat(80_000);
  const first = post('/v1/chunk/wait', { text });
  await new Promise((done) => setTimeout(done, 100));
  const refused = await post('/v1/chunk/wait', { text });
  t.equal(refused.status, 503);
  t.match(refused.json<{ detail: string }>().detail, /would take 160\d+ bytes, over the limit of 100000/);
  t.equal(refused.headers.get('retry-after'), '1');
  const unannounced = await send('/v1/chunk/wait', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([JSON.stringify({ text })]).stream(),
    duplex: 'half',
  } as RequestInit);
  t.equal(unannounced.status, 503);
  t.match(await metric(get, 'chunksmith_bytes_in_flight'), 80_011);
  t.equal((await first).status, 200);
  t.equal((await post('/v1/chunk/wait', { text })).status, 200, 'there is room again');
  t.equal(await metric(get, 'chunksmith_bytes_in_flight'), 0);
});

t.test('web pages of other origins are let in only where they are named', async (t) => {
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  };
  await t.test('none by default', async (t) => {
    const { send } = await startServer(t);
    const answer = await send('/v1/chunk/token', preflight);
    t.equal(answer.status, 405);
    t.equal(answer.headers.get('access-control-allow-origin'), null);
  });
  await t.test('those of --cors-origins', async (t) => {
    const { send, post } = await startServer(t, { corsOrigins: [ORIGIN], apiKeys: 'key' });
    const allowed = await send('/v1/chunk/token', preflight);
    t.equal(allowed.status, 204, 'a browser asks without the key');
    t.equal(allowed.headers.get('access-control-allow-origin'), ORIGIN);
    const answer = await post(
      '/v1/chunk/token',
      { text: 'a' },
      { origin: ORIGIN, authorization: 'Bearer key' },
    );
    t.equal(answer.headers.get('access-control-allow-origin'), ORIGIN);
    t.match(answer.headers.get('access-control-expose-headers'), /etag/);
    const other = await send('/v1/chunk/token', {
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://other.example' },
    });
    t.not(other.headers.get('access-control-allow-origin'), 'https://other.example');
  });
});

t.test('more requests than --rate-limit are 429 with Retry-After; health stays open', async (t) => {
  const { get, post } = await startServer(t, { rateLimit: 3 });
  for (let count = 0; count < 3; count++) t.equal((await get('/v1/plugins')).status, 200);
  const answer = await post('/v1/chunk/token', { text: 'a' });
  t.equal(answer.status, 429);
  t.match(answer.json(), { detail: /More than 3 requests in a minute/ });
  t.ok(Number(answer.headers.get('retry-after')) > 0);
  for (let count = 0; count < 10; count++) t.equal((await get('/health')).status, 200);
});

t.test('metrics', async (t) => {
  const folder = await pluginsFolder(t, chunker('plain', WHOLE_TEXT, { light: true }));
  const { get, post } = await startServer(t, { workers: 1, pluginsDir: [folder] });
  await post('/v1/chunk/token', { text: 'a secret text', chunk_size: 4 });
  await post('/v1/chunk/plain', { text: ['one', 'a longer secret text '.repeat(2000)] });
  await post('/v1/chunk/token', { text: 1 });
  await get('/no/such/secret');
  const { bytes, headers } = await get('/metrics');
  const text = bytes.toString();
  t.match(headers.get('content-type'), /^text\/plain/);
  t.notMatch(text, /secret/);
  for (const line of [
    'chunksmith_request_seconds_count{route="/v1/chunk/token",method="POST",status="200"} 1',
    'chunksmith_request_seconds_count{route="/v1/chunk/token",method="POST",status="400"} 1',
    'chunksmith_stage_seconds_count{stage="parse",by="json"} 2',
    'chunksmith_stage_seconds_count{stage="queue",by="plain"} 1',
    'chunksmith_stage_seconds_count{stage="chunk",by="plain"} 1',
    'chunksmith_stage_seconds_count{stage="serialise",by="json"} 2',
    'chunksmith_chunks_total{plugin="token"} 4',
    'chunksmith_tokens_total{plugin="token"} 13',
    'chunksmith_queue_depth 0',
    'chunksmith_worker_threads 1',
  ]) {
    t.ok(text.includes(`${line}\n`), line);
  }
});

t.test('/ready says no while the queue is full, /health stays green', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('slow', `const end = Date.now() + 1500; while (Date.now() < end) {} ${WHOLE_TEXT}`),
  );
  const { get, post } = await startServer(t, { pluginsDir: [folder], workers: 1, queueSize: 1 });
  t.same((await get('/ready')).json(), { status: 'ready' });
  const busy = [post('/v1/chunk/slow', { text: 'a' }), post('/v1/chunk/slow', { text: 'b' })];
  await new Promise((done) => setTimeout(done, 200));
  const [ready, health, third] = await Promise.all([
    get('/ready'),
    get('/health'),
    post('/v1/chunk/slow', { text: 'c' }),
  ]);
  t.equal(ready.status, 503);
  t.equal(ready.headers.get('retry-after'), '1');
  t.equal(health.status, 200);
  t.equal(third.status, 503);
  for (const answer of await Promise.all(busy)) t.equal(answer.status, 200);
  t.equal((await get('/ready')).status, 200, 'at once');
});

t.test('work that takes too long is stopped', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('stubborn', 'while (true) {}'),
    chunker('patient', `while (true) { context.signal.throwIfAborted(); }`),
    chunker(
      'waiting',
      `await new Promise((_, fail) => context.signal.addEventListener('abort', () => fail(new Error('heard'))));`,
    ),
    chunker('whole', WHOLE_TEXT),
    chunker(
      'thread',
      `const { threadId } = await import('node:worker_threads'); return [{ start: 0, end: text.length, extra: { threadId } }];`,
    ),
  );
  const { post } = await startServer(t, { pluginsDir: [folder], workers: 1, requestTimeout: 1 });
  const threadOf = async () =>
    (await post('/v1/chunk/thread', { text: 'a' })).json<{ threadId: number }[]>()[0]?.threadId;
  const stops = async (name: string) => {
    const [before, start] = [await threadOf(), Date.now()];
    const answer = await post(`/v1/chunk/${name}`, { text: 'a' });
    t.equal(answer.status, 503, name);
    t.match(answer.json(), { detail: /longer than 1 s and was stopped/ });
    t.ok(Date.now() - start < 10_000);
    return (await threadOf()) === before;
  };
  // On a busy machine a thread that heeds its signal may do so too late, now and then.
  const keeps = async (name: string) => (await stops(name)) || (await stops(name)) || stops(name);
  t.ok(await keeps('patient'), 'patient: the thread is kept');
  t.ok(await keeps('waiting'), 'waiting: the thread is kept');
  t.notOk(await stops('stubborn'), 'stubborn: the thread is replaced');
});

t.test('a worker that runs out of memory fails its own request', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('greedy', `const all = []; while (true) all.push(new Array(1e5).fill(all.length));`),
    chunker('whole', WHOLE_TEXT),
  );
  const { post } = await startServer(t, { pluginsDir: [folder], workers: 2, workerMemoryMb: 64 });
  const [greedy, other] = await Promise.all([
    post('/v1/chunk/greedy', { text: 'a' }),
    post('/v1/chunk/whole', { text: 'a' }),
  ]);
  t.equal(greedy.status, 500);
  t.match(greedy.json(), { detail: /more memory than a worker has .*--worker-memory-mb/ });
  t.equal(other.status, 200);
  t.equal((await post('/v1/chunk/whole', { text: 'a' })).status, 200);
});

t.test('small requests do not wait behind large ones', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker(
      'slow',
      `const end = Date.now() + (text.length > 300000 ? 1000 : 5); while (Date.now() < end) {} ${WHOLE_TEXT}`,
    ),
  );
  const { post } = await startServer(t, { pluginsDir: [folder], workers: 1 });
  await post('/v1/chunk/slow', { text: 'warm' });
  const ends: string[] = [];
  const noted = async (name: string, text: string) => {
    t.equal((await post('/v1/chunk/slow', { text })).status, 200);
    ends.push(name);
  };
  const large = 'a'.repeat(400_000);
  const all = [noted('large', large), noted('large', large), noted('large', large)];
  await new Promise((done) => setTimeout(done, 300));
  all.push(...Array.from({ length: 5 }, () => noted('small', 'b')));
  await Promise.all(all);
  t.ok(ends.indexOf('large', 1) > ends.lastIndexOf('small'), ends.join());
});

async function metric(get: Client['get'], name: string): Promise<number> {
  const text = (await get('/metrics')).bytes.toString();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}

t.test('the id of a request is taken over where it can be logged', async (t) => {
  const { send } = await startServer(t);
  const idFor = async (given: string) =>
    (await send('/health', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
  t.equal(await idFor('abc-123'), 'abc-123');
  t.match(await idFor('a"b'), /^[0-9a-f-]{36}$/);
  t.match(await idFor('x'.repeat(200)), /^[0-9a-f-]{36}$/);
});
