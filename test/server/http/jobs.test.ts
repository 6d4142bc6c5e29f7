import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  createJob,
  JOBS,
  jobOf,
  outputOf,
  runJob,
  STEPS,
  startJobServer,
  untilState,
} from '../../support/jobs.ts';
import { checkProblem } from '../../support/problems.ts';

/** Jobs from their request to their result, on a real database and a real folder. */

const TEXTS = { 'kb/a.md': 'One two three.', 'kb/deep/b.txt': 'Four 😀 five.', 'other.txt': 'not asked for' };

t.test('a folder is chunked into part files and a manifest', async (t) => {
  const server = await startJobServer(t, { ...TEXTS, 'kb/image.bin': '\u0000\u0001\u0002' });
  const created = await server.post(JOBS, { source: { path: 'kb' }, steps: STEPS });
  t.equal(created.status, 202);
  const { id } = created.json<{ id: string }>();
  t.equal(created.headers.get('location'), `jobs/${id}`);
  const job = await untilState(server, id, 'done');
  t.match(job, {
    error: null,
    source: { path: 'kb', format: 'auto' },
    target: { path: `chunksmith-jobs/${id}` },
    shards: { total: 1, done: 1, failed: 0 },
    documents: { done: 2, failed: 0 },
    seconds_left: null,
  });
  t.equal(job.bytes.read, job.bytes.total);
  const lines = await outputOf(server, id);
  t.equal(lines.length, job.chunks);
  const textOf = (one: string) =>
    lines
      .filter(({ document_id }) => document_id === one)
      .map(({ text }) => text)
      .join('');
  t.equal(textOf('kb/a.md'), TEXTS['kb/a.md'], 'nothing is lost');
  t.equal(textOf('kb/deep/b.txt'), TEXTS['kb/deep/b.txt']);
  t.ok(lines.every((line) => typeof line.id === 'string' && typeof line.index === 'number'));
  const manifest = (await server.get(`${JOBS}/${id}/result`)).json<{ shards: { files: object }[] }>();
  t.match(manifest, { counts: { documents: 2, failed: 0, skipped: 1, chunks: job.chunks } });
  t.match(manifest.shards[0]?.files, { part: { name: 'part-000000.jsonl' } });
  const part = await readFile(join(server.root, `chunksmith-jobs/${id}/part-000000.jsonl`));
  t.equal(part.toString().trim().split('\n').length, lines.length, 'the same as in the file');
});

t.test('lines of JSON Lines are documents, with fields that are mapped, in their order', async (t) => {
  const rows = Array.from({ length: 50 }, (_, index) => ({
    key: index,
    body: `text of ${index}`,
    lang: 'en',
  }));
  const server = await startJobServer(
    t,
    { 'in/rows.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
    { bulkShardBytes: 500 },
  );
  const fields = { id: 'key', text: 'body', metadata: ['lang'] };
  const job = await runJob(server, {
    source: { path: 'in/rows.jsonl', fields },
    group: 'document',
    target: { path: 'out' },
  });
  t.ok(job.shards.total > 3, `${job.shards.total} shards`);
  const lines = await outputOf(server, job.id);
  t.same(
    lines.map(({ document_id }) => document_id),
    rows.map(({ key }) => String(key)),
  );
  const [first] = lines as { chunks: { text: string; metadata: object }[] }[];
  t.equal(first?.chunks.map(({ text }) => text).join(''), 'text of 0');
  t.match(first?.chunks[0]?.metadata, { lang: 'en' });
  t.equal(
    (await readdir(join(server.root, 'out'))).filter((name) => name.startsWith('part-')).length,
    job.shards.total,
  );
});

t.test('documents of the request are chunked, with the bytes of their metadata', async (t) => {
  const server = await startJobServer(t);
  const body = `{"steps": ${JSON.stringify(STEPS)}, "source": {"documents": [
    {"id": "a", "text": "one\\ntwo", "metadata": {"big": 12345678901234567890.50}},
    {"id": "b",
     "text": "three"}
  ]}}`;
  const created = await server.post(JOBS, body);
  t.equal(created.status, 202, created.bytes.toString());
  const { id } = created.json<{ id: string }>();
  await untilState(server, id, 'done');
  const answer = await server.send(`${JOBS}/${id}/result`, { headers: { accept: 'application/x-ndjson' } });
  t.match(answer.bytes.toString(), '"metadata":{"big": 12345678901234567890.50}');
  t.same(
    (await outputOf(server, id)).map(({ document_id, text }) => `${document_id} ${text}`),
    ['a one\n', 'a two', 'b thre', 'b e'],
  );
  t.notOk(JSON.stringify(await jobOf(server, id)).includes('three'), 'documents are not shown');
});

t.test('a stored pipeline runs by its name or id, as it is when the job is made', async (t) => {
  const server = await startJobServer(t, TEXTS);
  const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 5 } }];
  const { id } = (await server.post('/v1/pipelines', { name: 'five', steps })).json<{ id: string }>();
  for (const pipeline of ['five', id]) {
    const job = await runJob(server, { steps: undefined, pipeline, source: { path: 'other.txt' } });
    const lines = await outputOf(server, job.id);
    t.same(
      lines.map(({ text }) => text),
      ['not a', 'sked ', 'for'],
    );
  }
});

t.test('documents that fail are told, and do not stop the others', async (t) => {
  const source = { path: 'rows.jsonl' };
  const server = await startJobServer(t, {
    'rows.jsonl': '{"id": "a", "text": "one"}\n{"id": "b"}\nnot JSON\n{"id": "d", "text": "four"}\n',
  });
  const job = await runJob(server, { source });
  t.match(job.documents, { done: 2, failed: 2 });
  t.match(await outputOf(server, job.id, 'errors'), [
    { source: 'rows.jsonl', byte: 27, id: 'b', status: 400, detail: /text: missing/ },
    { source: 'rows.jsonl', byte: 39, status: 400, detail: /not a line of valid JSON/ },
  ]);
  const { id } = await createJob(server, { source, max_errors: 1 });
  const failed = await untilState(server, id, 'failed');
  t.match(failed.error, { status: 400, detail: /2 documents failed.*max_errors/ });
  checkProblem(t, await server.get(`${JOBS}/${id}/result`), 409, [/is failed/, /retry/]);
});
