import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { type EvaluatedCandidate, type Evaluation, LETTERS, requestAbout } from '../../support/evaluation.ts';
import { type FormFile, postFile, postForm } from '../../support/files.ts';
import { type Operation, readOpenApi } from '../../support/openapi.ts';
import { chunker, FIXTURES, plugin, pluginsFolder, refinery } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { metricOf, startServer, temporaryFolder } from '../../support/server.ts';
import { LINES, linesIn, openStream } from '../../support/streams.ts';
import { until } from '../../support/until.ts';
import { create } from '../engine/pipelines.ts';

/** A request of each kind over a real socket, done in a worker; what they mean is tested in `test/server/engine`. */

const place = await temporaryFolder(t);
const told = (who: string) => (existsSync(join(place, who)) ? readFileSync(join(place, who), 'utf8') : '');
/** Waits until `signal` aborts; a file says that this has begun, and that it was heard. */
const waitsAs = (who: string) => `
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  const tell = (what) => appendFileSync(${JSON.stringify(join(place, who))}, what);
  tell('b');
  await new Promise((_, fail) => signal.addEventListener('abort', () => {
    tell('x');
    fail(signal.reason);
  }));`;
const pluginsDir = [
  FIXTURES,
  await pluginsFolder(
    t,
    LETTERS,
    chunker('broken', "throw new Error('a secret');"),
    chunker('hearing', `const { signal } = context; ${waitsAs('chunker')}`),
    chunker('echo', 'return [{ start: 0, end: text.length, extra: { size: options.size } }];', {
      options: { type: 'object', properties: { size: { type: 'integer', default: 5 } } },
    }),
    plugin(
      { kind: 'reader', name: 'odd', formats: { extensions: ['.odd'] }, reports: { seen: 'It was seen.' } },
      `export default () => ({ async read({ bytes }, { report, signal }) {
        report('seen', 'yes');
        const text = Buffer.from(bytes).toString('latin1');
        if (text === 'wait') { ${waitsAs('reader')} }
        return { text, encoding: 'latin1' };
      } });`,
    ),
    refinery('tells', "context.report('seen', String(chunks.length)); return [...chunks];", {
      reports: { seen: 'How many chunks it saw.' },
    }),
  ),
];
const client = await startServer(t, { pluginsDir, workers: 1, inlineBytes: 0 });

const TOKEN = { chunker: 'token' };
const about = (...candidates: object[]) => requestAbout('one two', { one: 'two' }, candidates);
const inLines = { accept: LINES };

t.test('chunks, pipelines, vectors and tokens are answered, with metadata in headers', async (t) => {
  const chunks = await client.chunk('token', { text: 'abc' });
  t.same(chunks, [{ text: 'abc', start_index: 0, end_index: 3, token_count: 3 }]);
  const refined = await client.post('/v1/refine/tells', { chunks: [chunks, [...chunks, ...chunks]] });
  t.same(refined.json(), [chunks, [...chunks, ...chunks]]);
  t.equal(refined.headers.get('x-seen'), '1, 2', 'of each document');
  t.equal(refined.headers.get('content-type'), 'application/json; charset=utf-8');
  const { id } = await create(client);
  const executed = await client.post(`/v1/pipelines/${id}/execute`, { text: 'abcde' });
  t.match(executed.json(), [{ text: 'abcd', shout: 'ABCD' }, { text: 'e' }]);
  const embedded = await client.post('/v1/embed', { text: 'b', embedding_model: 'letters' });
  t.match(embedded.json(), { model: 'letters', dimensions: 27, embeddings: [[0, 1, 0]] });
  t.equal(embedded.headers.get('x-embedding-model'), 'letters');
  const counted = await client.post('/v1/tokenize', { text: ['abc', ''] });
  t.same(counted.json(), { tokenizer: 'character', results: [{ count: 3 }, { count: 0 }] });
});

t.test('5 MB are counted and embedded in a worker thread, while the event loop answers', async (t) => {
  const text = 'Tea 🍵 and milk, naïve or not. '.repeat(170_000);
  const counted = client.post('/v1/tokenize', { text });
  t.equal((await client.get('/health')).status, 200);
  t.match((await counted).json(), { results: [{ count: 30 * 170_000 }] });
  t.equal((await client.post('/v1/embed', { text, embedding_model: 'letters' })).status, 200);
  const metrics = (await client.get('/metrics')).bytes.toString();
  for (const by of ['embed', 'tokenize'])
    t.match(metrics, new RegExp(`chunksmith_stage_seconds_count\\{stage="queue",by="${by}"\\}`));
});

t.test('stored pipelines are candidates, by their names and their ids', async (t) => {
  const { id } = await create(client, 'é 1');
  const names = [{ pipeline: 'é 1' }, { pipeline: id, name: 'mine' }, { pipeline: 'none' }];
  const { candidates } = (await client.post('/v1/evaluate', about(...names.slice(0, 2)))).json<Evaluation>();
  t.match(candidates, { 0: { name: 'é 1', chunks: 2 }, 1: { name: 'mine', same_as: 0 } });
  const unknown = await client.post('/v1/evaluate', about(...names));
  checkProblem(t, unknown, 400, /^candidates\[2\]\.pipeline: unknown pipeline "none"/);
});

t.test('an evaluation is answered in lines, and its work and failures are in the metrics', async (t) => {
  const body = about(TOKEN, { chunker: 'broken' }, TOKEN, { chunker: 'token', config: { chunk_size: 2 } });
  checkProblem(t, await client.post('/v1/evaluate', about(), inLines), 400, /^candidates: expected 1 to 16/);
  const whole = (await client.post('/v1/evaluate', body)).json<Evaluation>();
  const answer = await client.post('/v1/evaluate', body, inLines);
  t.equal(answer.headers.get('content-type'), `${LINES}; charset=utf-8`);
  t.same(linesIn(answer.bytes), [...whole.candidates, { verdict: whole.verdict }]);
  t.equal(whole.candidates.length, 4);
  const both = await client.post('/v1/evaluate', body, { accept: `application/json, ${LINES}` });
  t.same(both.json(), whole);
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.equal(await metricOf(client, 'streams_total{plugin="evaluate"}'), 1);
  t.match(metrics, /plugin_failures_total\{kind="chunker",name="broken",error="plugin_failed"\} 3\n/);
  t.match(metrics, /chunksmith_documents_total\{plugin="evaluate"\} [1-9]/);
  for (const stage of ['chunk', 'embed', 'search', 'serialise'])
    t.match(metrics, new RegExp(`stage_seconds_count\\{stage="${stage}",by="[^"]+"\\} [1-9]`), stage);
});

t.test('an evaluation in lines stops when the client goes', async (t) => {
  const headers = { ...inLines, 'content-type': 'application/json' };
  const { request, send, end, next } = openStream(`${client.url}/v1/evaluate`, headers);
  await send(about(TOKEN, { chunker: 'hearing' }));
  end();
  t.match(await next(), { index: 0 }, 'a line comes while the next candidate is worked on');
  await until(() => told('chunker') === 'b');
  request.destroy();
  await until(() => told('chunker') === 'bx');
});

t.test('an evaluation ends at its deadline, in the last line if there are others', async (t) => {
  const { post } = await startServer(t, { pluginsDir, requestTimeout: 1 });
  const body = about(TOKEN, { chunker: 'hearing' }, TOKEN);
  // On a busy machine the time may be up before the first line.
  const answer = await until(async () => {
    const answer = await post('/v1/evaluate', body, inLines);
    return answer.status === 200 && answer;
  });
  const lines = linesIn<EvaluatedCandidate>(answer.bytes);
  t.match(lines, [{ index: 0 }, { index: 1, error: { status: 503, detail: /took longer than 1 s/ } }]);
  t.equal(lines.length, 2);
  checkProblem(t, await post('/v1/evaluate', body), 503, /took longer than 1 s/);
});

const ODD: FormFile = { bytes: 'some text', name: 'a.odd' };
const FILES = '/v1/chunk/echo/file';

t.test('a file comes in a form, or as the body itself with its fields in the address', async (t) => {
  const inForm = await postForm(client, FILES, ODD, [['size', '12']]);
  const asBody = await postFile(client, `${FILES}?filename=folder%2Fa.odd&size=12`, ODD.bytes);
  for (const { status, headers, json } of [inForm, asBody]) {
    t.equal(status, 200);
    t.match(json(), [{ text: 'some text', size: 12, index: 0 }]);
    t.equal(headers.get('x-source-encoding'), 'latin1');
    t.equal(headers.get('x-seen'), 'yes', 'what the reader reports');
  }
  const path = `${FILES}?filename=a.odd`;
  const zipped = await postFile(client, path, gzipSync('zipped'), { 'content-encoding': 'gzip' });
  t.match(zipped.json(), [{ text: 'zipped' }], 'it may be compressed');
  const unsized: RequestInit = { method: 'POST', body: new Blob(['chunked']).stream(), duplex: 'half' };
  t.match((await client.send(path, unsized)).json(), [{ text: 'chunked' }], 'without length and media type');
});

t.test('a reader is told that the client has gone', async (t) => {
  const stop = new AbortController();
  const gone = client.send(`${FILES}?filename=a.odd`, { method: 'POST', body: 'wait', signal: stop.signal });
  gone.catch(() => {});
  await until(() => told('reader') === 'b');
  stop.abort();
  await t.rejects(gone);
  await until(() => told('reader') === 'bx');
});

t.test('a pipeline is executed on a file', async (t) => {
  const steps = [{ type: 'chunk', chunker: 'echo', config: { size: 4 } }];
  const { id } = (await client.post('/v1/pipelines', { name: 'files', steps })).json<{ id: string }>();
  const answer = await postForm(client, `/v1/pipelines/${id}/execute/file`, ODD);
  t.match(answer.json(), [{ text: 'some text', context: null, size: 4 }]);
  const sized = await postForm(client, `/v1/pipelines/${id}/execute/file`, ODD, [['size', '1']]);
  checkProblem(t, sized, 400, /^size: unknown/);
  t.equal((await postForm(client, '/v1/pipelines/none/execute/file', ODD)).status, 404);
});

t.test('many files at once', async (t) => {
  const files = Array.from({ length: 30 }, (_, index) => ({ bytes: `${index} `.repeat(500), name: 'a.odd' }));
  const answers = await Promise.all(files.map((file) => postForm(client, FILES, file)));
  for (const [index, { bytes }] of files.entries()) t.match(answers[index]?.json(), [{ text: bytes }]);
});

t.test('the routes of files are documented', async (t) => {
  const { paths } = await readOpenApi(client);
  const { tags, requestBody, responses } = paths[FILES]?.post ?? ({} as Operation);
  t.same([tags, 'multipart/form-data' in (requestBody?.content ?? {})], [['files'], true]);
  t.match(responses['200'], { headers: { 'x-request-id': {}, 'x-source-encoding': {}, 'x-seen': {} } });
  t.ok(paths['/v1/pipelines/{pipeline_id}/execute/file']);
});
