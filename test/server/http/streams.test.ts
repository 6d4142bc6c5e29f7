import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';
import {
  type AnswerLine,
  countOf,
  LINES,
  linesIn,
  openStream,
  WAITS_OR_FAILS,
} from '../../support/streams.ts';

const ADDS_FIELD = `export default () => ({
  refine: (chunks) => chunks.map((chunk) => ({ ...chunk, seen: true })),
});`;
const folder = await pluginsFolder(
  t,
  chunker('waits', WAITS_OR_FAILS),
  plugin({ kind: 'refinery', name: 'marks' }, ADDS_FIELD),
);
const MOST_BYTES = 1_000_000;
const settings = { pluginsDir: [folder], maxBodyBytes: MOST_BYTES };
const inline = await startServer(t, settings);
const workers = await startServer(t, { ...settings, workers: 2 });
const ROUTE = '/v1/chunk/waits';
const NDJSON = { 'content-type': LINES };

const texts = (lines: readonly AnswerLine[]) => lines.map(({ chunks }) => chunks?.[0]?.text);
const post = (body: string | Uint8Array, headers = {}, client = workers) =>
  client.post(ROUTE, body, { ...NDJSON, ...headers });

for (const [name, client] of [
  ['in worker threads', workers],
  ['without them', inline],
] as const) {
  t.test(`${name}: a line for each document, in their order, whatever fails in one`, async (t) => {
    const body = [
      '{"include":["document_id","index"]}\r',
      '{"text":"wait 30","id":"first"}\r',
      '',
      '  ',
      '{"text":"zwei"',
      '{"txt":"x","id":"wrong"}',
      '["no document"]',
      `{"text":"${'a'.repeat(MOST_BYTES)}"}`,
      '{"text":"throw","id":"fails"}',
      '{"text":"letztes 😀"}',
    ].join('\n');
    const answer = await post(body, {}, client);
    t.equal(answer.status, 200);
    t.match(answer.headers.get('content-type'), /^application\/x-ndjson/);
    const lines = linesIn(answer.bytes);
    t.match(lines, [
      { index: 0, id: 'first', chunks: [{ text: 'wait 30', document_id: 'first', index: 0 }] },
      { index: 1, error: { status: 400, detail: /not a line of valid JSON/ } },
      { index: 2, id: 'wrong', error: { status: 400, detail: /text: missing.*did you mean "text"/ } },
      { index: 3, error: { status: 400, detail: /expected an object, got a list/ } },
      { index: 4, error: { status: 413, detail: /longer than the limit of 1000000 bytes/ } },
      { index: 5, id: 'fails', error: { status: 500, detail: /The chunker "waits" failed/ } },
      { index: 6, chunks: [{ text: 'letztes 😀' }] },
    ]);
    t.equal(lines.length, 7);
  });
}

t.test('the first line of the answer comes before the last of the request is sent', async (t) => {
  const stream = openStream(workers.url + ROUTE);
  await stream.send({});
  for (const text of ['a', 'b', 'c']) {
    await stream.send({ text });
    t.match(await stream.next(), { chunks: [{ text }] });
  }
  stream.end();
  t.equal(await stream.next(), undefined);
});

t.test('documents are worked on side by side, and answered in their order', async (t) => {
  const stream = openStream(workers.url + ROUTE);
  await stream.send({});
  // Each is long enough to be a group of its own, so that two threads share them.
  const waits = ['wait 400', 'wait 401', 'wait 10'];
  const start = performance.now();
  for (const text of waits) {
    await stream.send({ text });
    await sleep(20);
  }
  stream.end();
  const lines: AnswerLine[] = [];
  for (let line = await stream.next(); line !== undefined; line = await stream.next()) lines.push(line);
  t.same(texts(lines), waits);
  t.ok(performance.now() - start < 20_000);
});

t.test('what is wrong with the whole request has a status of its own', async (t) => {
  const cases = [
    ['', 400, /The body is empty/],
    ['\n\n', 400, /The body is empty/],
    ['nothing', 400, /The first line of the stream is not a line of valid JSON/],
    ['[]\n{"text":"a"}', 400, /first line of the stream: expected an object/],
    ['{"chunk_siz":1}\n{"text":"a"}', 400, /chunk_siz: unknown parameter/],
    ['{"include":["ids"]}\n{"text":"a"}', 400, /include\[0\]: expected one of "id"/],
    [`{"a":"${'a'.repeat(MOST_BYTES)}"}`, 413, /The first line of the stream is longer/],
  ] as const;
  for (const [body, status, detail] of cases) {
    const answer = await post(body);
    t.equal(answer.status, status, body.slice(0, 40));
    t.match(answer.json(), { detail });
  }
  const unknown = await workers.post(
    '/v1/chunk/token',
    '{"tokenizer":"nope"}\n{"text":"a"}\n{"text":"b"}',
    NDJSON,
  );
  t.equal(unknown.status, 400);
  t.match(unknown.json(), { detail: /there is no tokenizer "nope"/ });
  t.equal((await workers.post('/v1/chunk/nope', '{}', NDJSON)).status, 404);
  for (const path of ['/v1/tokenize', '/v1/embed']) {
    t.equal((await workers.post(path, '{}', NDJSON)).status, 415);
  }
});

t.test('options alone are an empty stream', async (t) => {
  const answer = await post('{}');
  t.equal(answer.status, 200);
  t.equal(answer.bytes.length, 0);
});

t.test('bodies may be compressed, streams and others', async (t) => {
  const stream = '{}\n{"text":"a"}\n{"text":"b"}';
  const batch = '{"text":["a","b"]}';
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const headers = { 'content-encoding': encoding };
    t.same(texts(linesIn((await post(compress(stream), headers)).bytes)), ['a', 'b'], encoding);
    const whole = await workers.post(ROUTE, compress(batch), headers);
    t.match(whole.json(), [[{ text: 'a' }], [{ text: 'b' }]], encoding);
    for (const type of [LINES, 'application/json']) {
      const broken = await workers.post(ROUTE, 'not compressed', { ...headers, 'content-type': type });
      t.equal(broken.status, 400, `${encoding}, ${type}`);
      t.match(broken.json(), { detail: new RegExp(`not valid ${encoding}`) });
      const cut = compress(stream).subarray(0, -3);
      t.equal(
        (await workers.post(ROUTE, cut, { ...headers, 'content-type': 'application/json' })).status,
        400,
      );
    }
  }
  const unknown = await post('x', { 'content-encoding': 'lzma' });
  t.equal(unknown.status, 415);
  t.match(unknown.json(), { detail: /"lzma" is not supported/ });
});

t.test('of a compressed body, what comes out is limited', async (t) => {
  const zeros = Buffer.alloc(200 * MOST_BYTES, 'a');
  const headers = { 'content-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.concat([Buffer.from('{}\n{"text":"a"}\n{"text":"'), zeros]));
  const lines = linesIn((await post(bomb, headers)).bytes);
  t.match(lines, [{ chunks: [{ text: 'a' }] }, { index: 1, error: { status: 413 } }]);
  t.equal((await post(gzipSync(zeros), headers)).status, 413);
  t.equal((await workers.post(ROUTE, gzipSync(zeros), headers)).status, 413);
});

t.test('Accept alone has a batch answered as a stream', async (t) => {
  const accept = { accept: LINES };
  const send = async (path: string, body: unknown, client = workers) =>
    linesIn((await client.post(path, body, accept)).bytes);
  const text = Array.from({ length: 300 }, (_, index) => `text ${index}`);
  for (const client of [workers, inline]) {
    const answer = await send(ROUTE, { text }, client);
    t.same(texts(answer), text);
    t.same(
      answer.map(({ chunks }) => chunks),
      (await client.post(ROUTE, { text })).json(),
      'the chunks are those of the answer as JSON',
    );
  }
  t.same(texts(await send(ROUTE, { text: 'alone' })), ['alone']);
  t.same(await send(ROUTE, { text: [] }), []);
  const documents = '{"documents":[{"id":"a","text":"x","metadata":{"n":\n\r1e400}}, {"text":"y"}]}';
  const raw = (await workers.post(ROUTE, documents, accept)).bytes.toString();
  t.match(raw, /^\{"index":0,"id":"a","chunks":\[.*"metadata":\{"n": {2}1e400\}\}\]\}\n\{"index":1,/);
  const chunk = { text: 'x', start_index: 0, end_index: 1, token_count: 1 };
  for (const chunks of [[chunk], [[chunk], [chunk]]]) {
    const answer = await send('/v1/refine/marks', { chunks });
    t.equal(answer.length, Array.isArray(chunks[0]) ? 2 : 1);
    for (const line of answer) t.match(line.chunks, [{ ...chunk, seen: true }]);
  }
  const refused = await workers.post(ROUTE, { text: [1] }, accept);
  t.equal(refused.status, 400);
});

t.test('lists of chunks stream through refineries, also as chunkers answer them', async (t) => {
  const chunked = await post('{}\n{"text":"a","id":"one","metadata":{"n":1e400}}\n{"text":"b"}');
  const answer = await workers.post('/v1/refine/marks', `{}\n${chunked.bytes}[]\n{"id":"x"}`, NDJSON);
  const lines = linesIn(answer.bytes);
  t.match(lines, [
    { index: 0, id: 'one', chunks: [{ text: 'a', document_id: 'one', seen: true }] },
    { index: 1, chunks: [{ text: 'b', seen: true }] },
    { index: 2, chunks: [] },
    { index: 3, id: 'x', error: { status: 400, detail: /chunks: missing/ } },
  ]);
  t.match(answer.bytes.toString(), /"metadata":\{"n":1e400\}/);
});

t.test('pipelines execute streams', async (t) => {
  const steps = [
    { type: 'chunk', chunker: 'waits' },
    { type: 'refine', refinery: 'marks' },
  ];
  const { id } = (await workers.post('/v1/pipelines', { name: 'streamed', steps })).json<{ id: string }>();
  const path = `/v1/pipelines/${id}/execute`;
  const answer = await workers.post(path, '{}\n{"text":"a","id":"d"}\n{"text":"b"}', NDJSON);
  t.match(linesIn(answer.bytes), [
    { id: 'd', chunks: [{ text: 'a', document_id: 'd', seen: true, context: null }] },
    { chunks: [{ text: 'b', document_id: null }] },
  ]);
  t.equal(
    (await workers.post(path.replace(id, '00000000-0000-4000-8000-000000000000'), '{}', NDJSON)).status,
    404,
  );
});

t.test('a thread that ends fails one document', async (t) => {
  const documents = Array.from({ length: 40 }, (_, index) => (index === 20 ? 'die' : `text ${index}`));
  const body = documents.map((text, index) => JSON.stringify({ text, id: `d${index}` }));
  const lines = linesIn((await post(['{}', ...body].join('\n'))).bytes);
  t.equal(lines.length, 40);
  for (const [index, line] of lines.entries()) {
    if (index === 20) t.match(line, { id: 'd20', error: { status: 500, detail: /worker.*ended/ } });
    else t.match(line, { index, id: `d${index}`, chunks: [{ text: documents[index] }] });
  }
});

t.test('metrics count documents and streams', async (t) => {
  const client = await startServer(t, settings);
  await post('{}\n{"text":"a"}\n{"text":"throw"}\n{"text":"b"}', {}, client);
  await client.post(ROUTE, { text: ['a', 'b', 'c'] });
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.equal(countOf(metrics, 'streams_total', 'waits'), 1);
  t.equal(countOf(metrics, 'documents_total', 'waits'), 5, 'one failed');
  t.match(
    metrics,
    /^chunksmith_plugin_failures_total\{kind="chunker",name="waits",error="plugin_failed"\} 1$/m,
  );
});
