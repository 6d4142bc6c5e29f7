import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as open } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { type EvaluatedCandidate, LETTERS, requestAbout } from '../../support/evaluation.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { until } from '../../support/process.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';
import { countOf, LINES, linesIn } from '../../support/streams.ts';

/** Evaluations that are answered in lines, and such that end early. */

const files = await temporaryFolder(t);
const [go, heard] = [join(files, 'go'), join(files, 'heard')];
const FS = "const { appendFileSync, existsSync } = await import('node:fs');";
const pluginsDir = [
  await pluginsFolder(
    t,
    LETTERS,
    chunker('broken', "throw new Error('no');"),
    chunker(
      'waiting',
      `${FS} while (!existsSync(${JSON.stringify(go)})) await new Promise((done) => setTimeout(done, 5)); ${WHOLE_TEXT}`,
    ),
    chunker(
      'hearing',
      `${FS} appendFileSync(${JSON.stringify(heard)}, 'b');
      await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
        appendFileSync(${JSON.stringify(heard)}, 'x');
        fail(context.signal.reason);
      }));`,
    ),
  ),
];

const TOKEN = { chunker: 'token' };
const about = (...candidates: object[]) => requestAbout('one two', { one: 'two' }, candidates);
const inLines = { accept: LINES };

/** Sends a request, and gives the lines of the answer as they come. */
async function openLines({ url }: Client, body: object) {
  const headers = { ...inLines, 'content-type': 'application/json' };
  const sent = open(`${url}/v1/evaluate`, { method: 'POST', headers }).end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    return done ? undefined : (JSON.parse(value) as EvaluatedCandidate);
  };
  return { sent, headers: response.headers, next };
}

for (const workers of [0, 1]) {
  t.test(`${workers} workers: the lines are the candidates of the answer in JSON`, async (t) => {
    const client = await startServer(t, { workers, pluginsDir });
    const body = about(TOKEN, { chunker: 'broken' }, TOKEN, { chunker: 'token', config: { chunk_size: 2 } });
    const whole = (await client.post('/v1/evaluate', body)).json<{ candidates: object[] }>();
    const answer = await client.post('/v1/evaluate', body, inLines);
    t.equal(answer.headers.get('content-type'), `${LINES}; charset=utf-8`);
    t.same(linesIn(answer.bytes), whole.candidates);
    t.equal(whole.candidates.length, 4);
    const both = await client.post('/v1/evaluate', body, { accept: `application/json, ${LINES}` });
    t.same(both.json(), whole);
    const metrics = (await client.get('/metrics')).bytes.toString();
    t.equal(countOf(metrics, 'streams_total', 'evaluate'), 1);
    t.match(metrics, /plugin_failures_total\{kind="chunker",name="broken",error="plugin_failed"\} 3\n/);
  });

  t.test(`${workers} workers: a line comes while the next candidate is worked on`, async (t) => {
    const client = await startServer(t, { workers, pluginsDir });
    rmSync(go, { force: true });
    const { next } = await openLines(client, about(TOKEN, { chunker: 'waiting' }));
    t.match(await next(), { index: 0, recall: 1 });
    writeFileSync(go, '');
    t.match(await next(), { index: 1, name: 'waiting', recall: 1 });
    t.equal(await next(), undefined);
  });

  t.test(`${workers} workers: what is wrong with the whole request has a status`, async (t) => {
    const { post } = await startServer(t, { workers, pluginsDir });
    checkProblem(t, await post('/v1/evaluate', about(), inLines), 400, /^candidates: expected 1 to 16/);
    const unknown = { ...about(TOKEN), embedding_model: 'none' };
    checkProblem(t, await post('/v1/evaluate', unknown, inLines), 400, /no model "none"/);
  });

  t.test(`${workers} workers: it ends at its deadline, in the last line if there are others`, async (t) => {
    const { post } = await startServer(t, { workers, pluginsDir, requestTimeout: 1 });
    const body = about(TOKEN, { chunker: 'hearing' }, TOKEN);
    // A thread that has yet to start and to open the model may take as long.
    await until(async () => (await post('/v1/evaluate', about(TOKEN))).status === 200);
    const lines = linesIn((await post('/v1/evaluate', body, inLines)).bytes);
    t.match(lines, [{ index: 0 }, { index: 1, error: { status: 503, detail: /took longer than 1 s/ } }]);
    t.equal(lines.length, 2);
    checkProblem(t, await post('/v1/evaluate', body), 503, /took longer than 1 s/);
  });

  t.test(`${workers} workers: it stops when the client goes`, async (t) => {
    const client = await startServer(t, { workers, pluginsDir });
    const told = () => (existsSync(heard) ? readFileSync(heard, 'utf8') : '');
    rmSync(heard, { force: true });
    const { sent, next } = await openLines(client, about(TOKEN, { chunker: 'hearing' }));
    t.match(await next(), { index: 0 });
    await until(() => told() === 'b');
    sent.destroy();
    await until(() => told() === 'bx');
    const stop = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(about({ chunker: 'hearing' }));
    const waiting = fetch(`${client.url}/v1/evaluate`, {
      method: 'POST',
      headers,
      body,
      signal: stop.signal,
    });
    waiting.catch(() => {});
    await until(() => told() === 'bxb');
    stop.abort();
    await t.rejects(waiting);
    await until(() => told() === 'bxbx');
  });
}

t.test('lines that are too long together end it with an error', async (t) => {
  const { post } = await startServer(t, { pluginsDir, maxAnswerBytes: 800 });
  const lines = linesIn((await post('/v1/evaluate', about(TOKEN, TOKEN, TOKEN, TOKEN), inLines)).bytes);
  t.match(lines.at(-1), {
    index: lines.length - 1,
    error: { status: 400, detail: /^The answer would take/ },
  });
  t.ok(lines.length > 1 && lines.length < 4);
});
