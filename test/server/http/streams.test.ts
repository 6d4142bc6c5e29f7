import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { chunker, pluginsFolder, refinery, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { metricOf, startServer, temporaryFolder } from '../../support/server.ts';
import { type AnswerLine, LINES, linesIn, openStream, WAITS_OR_FAILS } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

/** What streams of documents are answered. */

const TAKES_ALL = `if (text === 'heap') for (const all = []; ; ) all.push(new Array(1e5).fill(all.length));`;
const mark = join(await temporaryFolder(t), 'mark');
/** The first text is done only after the second. */
const MEETS = `const { existsSync, writeFileSync } = await import('node:fs');
  writeFileSync('${mark}-' + text, '');
  while (!existsSync('${mark}-second')) await new Promise((done) => setTimeout(done, 10));
  ${WHOLE_TEXT}`;
const folder = await pluginsFolder(
  t,
  chunker('meets', MEETS),
  chunker('waits', TAKES_ALL + WAITS_OR_FAILS),
  refinery('marks', 'return chunks.map((chunk) => ({ ...chunk, seen: true }));'),
);
const MAX_BYTES = 100_000;
const plugins = ['token', 'character', 'waits', 'meets', 'marks'];
const settings = { plugins, pluginsDir: [folder], maxBodyBytes: MAX_BYTES, requestTimeout: 60 };
const inline = await startServer(t, settings);
const workers = await startServer(t, { ...settings, workers: 2, workerMemoryMb: 64 });
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
      '{"txt":"x","id":9007199254740993}',
      '["no document"]',
      `{"text":"${'a'.repeat(MAX_BYTES)}"}`,
      '{"text":"throw","id":"fails"}',
      '{"text":"letztes 😀","id":7}',
      '{"text":"x","id":7.0}',
    ].join('\n');
    const answer = await post(body, {}, client);
    t.equal(answer.status, 200);
    t.match(answer.headers.get('content-type'), /^application\/x-ndjson/);
    const lines = linesIn(answer.bytes);
    t.match(lines, [
      { index: 0, id: 'first', chunks: [{ text: 'wait 30', document_id: 'first', index: 0 }] },
      { index: 1, error: { status: 400, detail: /not a line of valid JSON/ } },
      {
        index: 2,
        id: '9007199254740993',
        error: { status: 400, detail: /text: missing.*did you mean "text"/ },
      },
      { index: 3, error: { status: 400, detail: /expected an object, got a list/ } },
      { index: 4, error: { status: 413, detail: /longer than the limit of 100000 bytes/ } },
      { index: 5, id: 'fails', error: { status: 500, detail: /The chunker "waits" failed/ } },
      { index: 6, id: '7', chunks: [{ text: 'letztes 😀', document_id: '7' }] },
      { index: 7, error: { status: 400, detail: /id: expected a string, or an integer .*, got 7\.0/ } },
    ]);
    t.equal(lines.length, 8);
    t.notMatch(JSON.stringify(lines), /a secret/);
  });
}

t.test('documents are worked on side by side, and answered in their order', async (t) => {
  const stream = openStream(`${workers.url}/v1/chunk/meets`);
  await stream.send({});
  await stream.send({ text: 'first' });
  await until(() => existsSync(`${mark}-first`));
  await stream.send({ text: 'second' });
  stream.end();
  const lines: AnswerLine[] = [];
  for (let line = await stream.next(); line !== undefined; line = await stream.next()) lines.push(line);
  t.same(texts(lines), ['first', 'second']);
});

t.test('what is wrong with the whole request has a status of its own', async (t) => {
  const cases = [
    ['{}', 200, undefined],
    ['', 400, /The body is empty/],
    ['\n\n', 400, /The body is empty/],
    ['nothing', 400, /The first line of the stream is not a line of valid JSON/],
    ['{"include":["ids"]}\n{"text":"a"}', 400, /include\[0\]: expected one of "id"/],
    ['{"includ":[]}', 400, /includ: unknown parameter, did you mean "include"/],
    ['{"text":"a"}', 400, /text: unknown parameter/],
    [`{"a":"${'a'.repeat(MAX_BYTES)}"}`, 413, /The first line of the stream is longer/],
  ] as const;
  for (const [body, status, detail] of cases) {
    const answer = await post(body);
    if (detail !== undefined) checkProblem(t, answer, status, detail);
    else t.same([answer.status, answer.bytes.length], [status, 0], 'options alone are an empty stream');
  }
  const unknown = await workers.post('/v1/chunk/token', '{"tokenizer":"nope"}\n{"text":"a"}', NDJSON);
  checkProblem(t, unknown, 400, /there is no tokenizer "nope"/);
  t.equal((await workers.post('/v1/chunk/nope', '{}', NDJSON)).status, 404);
  for (const path of ['/v1/tokenize', '/v1/embed'])
    t.equal((await workers.post(path, '{}', NDJSON)).status, 415);
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
      checkProblem(t, broken, 400, new RegExp(`not valid ${encoding}`));
    }
    const cut = await workers.post(ROUTE, compress(stream).subarray(0, -3), headers);
    t.equal(cut.status, 400);
  }
  const unknown = await post('x', { 'content-encoding': 'lzma' });
  checkProblem(t, unknown, 415, /"lzma" is not supported/);
});

t.test('of a compressed body, what comes out is limited', async (t) => {
  const zeros = Buffer.alloc(200 * MAX_BYTES, 'a');
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
    const chunks = answer.map(({ chunks }) => chunks);
    t.same(chunks, (await client.post(ROUTE, { text })).json());
  }
  t.same(texts(await send(ROUTE, { text: 'alone' })), ['alone']);
  t.same(await send(ROUTE, { text: [] }), []);
  const documents = '{"documents":[{"id":"a","text":"x","metadata":{"n":\n\r1e400}}, {"text":"y"}]}';
  const raw = (await workers.post(ROUTE, documents, accept)).bytes.toString();
  t.match(raw, /^\{"index":0,"id":"a","chunks":\[.*"metadata":\{"n": {2}1e400\}\}\]\}\n\{"index":1,/);
  const chunk = { text: 'x', start_index: 0, end_index: 1, token_count: 1 };
  const refined = { ...chunk, seen: true };
  const lines = await send('/v1/refine/marks', { chunks: [[chunk], [chunk]] });
  t.match(lines, [{ chunks: [refined] }, { chunks: [refined] }]);
  t.match(await send('/v1/refine/marks', { chunks: [chunk] }), [{ chunks: [refined] }]);
  t.equal((await workers.post(ROUTE, { text: [1] }, accept)).status, 400);
});

t.test('refineries take the lines that chunkers answer', async (t) => {
  const chunked = await post('{}\n{"text":"a","id":"one"}');
  const { bytes } = await workers.post('/v1/refine/marks', `{}\n${chunked.bytes}`, NDJSON);
  const chunks = [{ text: 'a', document_id: 'one', seen: true }];
  t.match(linesIn(bytes), [{ index: 0, id: 'one', chunks }]);
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
  const none = path.replace(id, '00000000-0000-4000-8000-000000000000');
  t.equal((await workers.post(none, '{}', NDJSON)).status, 404);
});

t.test('a thread that ends fails one document, and nothing of others', async (t) => {
  const deaths: Readonly<Record<number, string>> = { 10: 'die', 25: 'heap' };
  const documents = Array.from({ length: 40 }, (_, index) => deaths[index] ?? `text ${index}`);
  const body = documents.map((text, index) => JSON.stringify({ text, id: `d${index}` }));
  let isOver = false;
  const others = othersUntil(() => isOver);
  const lines = linesIn((await post(['{}', ...body].join('\n'))).bytes);
  isOver = true;
  t.equal(lines.length, 40);
  const details = { die: /worker.*ended/, heap: /more memory than a worker has .*--worker-memory-mb/ };
  for (const [index, line] of lines.entries()) {
    const text = documents[index] as string;
    if (text in details) t.match(line.error, { status: 500, detail: details[text as keyof typeof details] });
    else t.match(line, { index, id: `d${index}`, chunks: [{ text }] });
  }
  t.ok((await others) > 0, 'others were answered meanwhile');
});

/** Requests and lines of a stream, one after the other; gives how many there were, and throws if one is wrong. */
async function othersUntil(isOver: () => boolean): Promise<number> {
  const stream = openStream(workers.url + ROUTE);
  await stream.send({});
  for (let index = 0; ; index++) {
    await sleep(20);
    const text = `other ${index}`;
    await stream.send({ text });
    const [line, [chunk]] = await Promise.all([stream.next(), workers.chunk('waits', { text })]);
    if (texts([line as AnswerLine])[0] !== text || chunk?.text !== text)
      throw new Error(JSON.stringify(line));
    if (isOver()) {
      stream.end();
      return index + 1;
    }
  }
}

t.test('metrics count documents and streams', async (t) => {
  const client = await startServer(t, settings);
  await post('{}\n{"text":"a"}\n{"text":"throw"}\n{"text":"b"}', {}, client);
  await client.post(ROUTE, { text: ['a', 'b', 'c'] });
  t.equal(await metricOf(client, 'streams_total{plugin="waits"}'), 1);
  t.equal(await metricOf(client, 'documents_total{plugin="waits"}'), 5, 'one failed');
  const failures = 'plugin_failures_total{kind="chunker",name="waits",error="plugin_failed"}';
  t.equal(await metricOf(client, failures), 1);
});
