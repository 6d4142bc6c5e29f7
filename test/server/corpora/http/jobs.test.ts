import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { JobAnswer, ShardAnswer } from '../../../../server/corpora/jobs/answers.ts';
import { LETTERS, WINDOWED } from '../../../support/evaluation.ts';
import { needs } from '../../../support/here.ts';
import {
  createGated,
  createJob,
  GATED,
  JOBS,
  jobOf,
  outputOf,
  runJob,
  STEPS,
  startJobServer,
  untilState,
} from '../../../support/jobs.ts';
import { pluginsFolder } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { metricOf, startServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { startReceiver } from '../jobs/callback-receiver.ts';

/** Jobs from their request to their result and their end, on a real database and a real folder. */

const TEXTS = { 'kb/a.md': 'One two three.', 'kb/deep/b.txt': 'Four 😀 five.', 'other.txt': 'not asked for' };
const LINES = { 'lines/0.jsonl': 'one', 'lines/1.jsonl': 'two', 'lines/2.jsonl': 'three' };
const ROWS = Array.from({ length: 50 }, (_, index) => ({ key: index, body: `text of ${index}`, lang: 'en' }));
const FILES = {
  ...TEXTS,
  ...Object.fromEntries(Object.entries(LINES).map(([name, text]) => [name, JSON.stringify({ text })])),
  ...{ 'mix/a.ppt': '%PDF\0', 'mix/b.doc': 'PK\0', 'mix/c.bin': '\0', 'mix/d.md': 'tea', 'mix/e.txt': '' },
  'unread/a.ppt': '%PDF\0',
  'odd/a\\b.md': 'a name with a backslash',
  'odd/.hid': '',
  'kb/image.bin': '\u0000\u0001\u0002',
  'in/rows.jsonl': ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''),
  'bad.jsonl': '{"id": "a", "text": "one"}\n{"id": "b"}\nnot JSON\n{"id": "d", "text": "four"}\n',
};
const SECRET = 'a-secret-of-some-length';
const server = await startJobServer(t, FILES, {
  bulkShardDocuments: 1,
  bulkShardBytes: 500,
  bulkCallbackPrivate: true,
  bulkCallbackSecret: SECRET,
  pluginsDir: [await pluginsFolder(t, GATED, LETTERS, WINDOWED)],
});
const KB = { path: 'kb' };

const shardsOf = async (id: string, query = '') =>
  (await server.get(`${JOBS}/${id}/shards${query}`)).json<ShardAnswer[]>();
const textsOf = async (id: string) => (await outputOf(server, id)).map(({ text }) => text);
const remove = (id: string) => server.send(`${JOBS}/${id}`, { method: 'DELETE' });

const startGated = async (gate: string, request: object = { source: KB }) => {
  const gated = await createGated(server, gate, request);
  await untilState(server, gated.id, 'running');
  return gated;
};

t.test('a folder is chunked into part files and a manifest', async (t) => {
  const created = await server.post(JOBS, { source: KB, steps: STEPS });
  t.equal(created.status, 202);
  const { id } = created.json<{ id: string }>();
  t.equal(created.headers.get('location'), `jobs/${id}`);
  const job = await untilState(server, id, 'done');
  t.match(job, {
    error: null,
    source: { path: 'kb', format: 'auto' },
    target: { path: `chunksmith-jobs/${id}` },
    shards: { total: 3, done: 3, failed: 0 },
    documents: { done: 2, failed: 0, skipped: 1 },
    skipped_reasons: { binary: 1 },
    seconds_left: null,
  });
  t.equal(job.bytes.read, job.bytes.total);
  const lines = await outputOf(server, id);
  t.equal(lines.length, job.chunks);
  for (const name of ['kb/a.md', 'kb/deep/b.txt'] as const) {
    const own = lines.filter(({ document_id }) => document_id === name);
    t.equal(own.map(({ text }) => text).join(''), TEXTS[name], 'nothing is lost');
  }
  t.ok(lines.every((line) => typeof line.id === 'string' && typeof line.index === 'number'));
  const manifest = (await server.get(`${JOBS}/${id}/result`)).json<{ shards: { files: object }[] }>();
  t.match(manifest, {
    counts: { documents: 2, failed: 0, skipped: 1, skipped_reasons: { binary: 1 }, chunks: job.chunks },
  });
  t.match(manifest.shards[1]?.files, { part: { name: 'part-000001.jsonl' } });
  const names = ['part-000000.jsonl', 'part-000001.jsonl'];
  const parts = names.map((name) => readFile(join(server.root, `chunksmith-jobs/${id}/${name}`), 'utf8'));
  t.equal((await Promise.all(parts)).join('').trim().split('\n').length, lines.length, 'as in the files');
});

t.test('what a job skips is counted and named', needs('reader/docling', 'reader/tika'), async (t) => {
  const mixed = await runJob(server, { source: { path: 'mix' } });
  const skipped_reasons = { no_reader: 2, binary: 1, empty: 1 };
  t.match(mixed, { state: 'done', documents: { done: 2, failed: 0, skipped: 3 }, skipped_reasons });
  const lines = (await server.get(`${JOBS}/${mixed.id}/errors`)).bytes.toString().trim().split('\n');
  const none = { skipped: 'no_reader', detail: /"docling" or "tika" cannot run.*DOCLING_URL.*TIKA_URL/ };
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { source: 'mix/a.ppt', ...none },
      { source: 'mix/b.doc', ...none },
      { source: 'mix/c.bin', skipped: 'binary', detail: /cannot be read as text/ },
      { source: 'mix/e.txt', skipped: 'empty', id: 'mix/e.txt', detail: /no text/ },
    ],
  );
  const failed = await runJob(server, { source: { path: 'unread' } }, 'failed');
  const error = {
    status: 422,
    detail: 'Nothing was read: 1 skipped: 1 needs DOCLING_URL or TIKA_URL (unread/a.ppt).',
  };
  t.match(failed, { state: 'failed', error, documents: { done: 0, skipped: 1 } });
});

t.test('names are characters, and what cannot be read is counted', async (t) => {
  const skipped_reasons = { ignored: 1, unreadable: 3 };
  await symlink('nothing', join(server.root, 'odd/dangling'));
  await symlink('/etc', join(server.root, 'odd/etc'));
  await writeFile(
    Buffer.concat([Buffer.from(join(server.root, 'odd/caf')), Buffer.of(0xe9), Buffer.from('.md')]),
    '',
  );
  for (const path of ['odd', './odd', './/odd/.', join(server.root, 'odd')]) {
    const job = await runJob(server, { source: { path } });
    t.match(job, { state: 'done', documents: { done: 1, failed: 0, skipped: 4 }, skipped_reasons }, path);
    t.equal((await textsOf(job.id)).join(''), 'a name with a backslash', path);
    const errors = (await server.get(`${JOBS}/${job.id}/errors`)).bytes.toString();
    for (const line of [
      /\.hid.*begins with a dot/,
      /dangling.*link to nothing/,
      /etc.*leads outside/,
      /caf.*not UTF-8/,
    ])
      t.match(errors, line, path);
  }
  const refused = async (path: string) =>
    (await server.post(JOBS, { source: { path }, steps: STEPS })).json<{ detail: string }>().detail;
  t.match(await refused('/etc'), /^\/etc is outside the folder of jobs \(--bulk-root\): /);
  t.match(await refused('../x'), /^\.\.\/x is outside /);
});

t.test('lines of JSON Lines are documents, with fields that are mapped, in their order', async (t) => {
  const fields = { id: 'key', text: 'body', metadata: ['lang'] };
  const source = { path: 'in/rows.jsonl', fields };
  const job = await runJob(server, { source, group: 'document', target: { path: 'out' } });
  t.ok(job.shards.total > 3, `${job.shards.total} shards`);
  const lines = await outputOf(server, job.id);
  const ids = lines.map(({ document_id }) => document_id);
  t.same(ids, [...ROWS.keys()].map(String));
  const [first] = lines as { chunks: { text: string; metadata: object }[] }[];
  t.equal(first?.chunks.map(({ text }) => text).join(''), 'text of 0');
  t.match(first?.chunks[0]?.metadata, { lang: 'en' });
  const names = await readdir(join(server.root, 'out'));
  t.equal(names.filter((name) => name.startsWith('part-')).length, job.shards.total);
});

t.test('vectors of zeros are counted in the job', needs('refinery/embeddings'), async (t) => {
  const documents = [
    { id: 'a', text: 'tea' },
    { id: 'b', text: '茶 今天天气' },
  ];
  const steps = [
    ...STEPS,
    { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'letters' } },
  ];
  t.match(await runJob(server, { source: { documents }, steps }), { chunks: 3, embedding_empty: 2 });
});

t.test(
  'texts beyond the window of the model are counted in the job',
  needs('refinery/embeddings'),
  async (t) => {
    const documents = [{ text: 'tea' }, { text: 'tea, milk and water' }];
    const config = { embedding_model: 'narrow' };
    const chunk = { type: 'chunk', chunker: 'token', config: { chunk_size: 16 } };
    const steps = (more: object) => [
      chunk,
      { type: 'refine', refinery: 'embeddings', config: { ...config, ...more } },
    ];
    const job = await runJob(server, { source: { documents }, steps: steps({}) });
    t.match(job, { documents: { done: 2 }, chunks: 3, embedding_cut: 1 });
    t.equal(await metricOf(server, 'bulk_embedding_cut_total'), 1);
    const refusing = await runJob(server, { source: { documents }, steps: steps({ long_texts: 'refuse' }) });
    t.match(refusing, { documents: { done: 1, failed: 1 }, embedding_cut: 0 });
  },
);

t.test('chunks over chunk_size are counted in the job', needs('chunker/sentence'), async (t) => {
  const documents = [{ text: 'Tea. ' }, { text: 'A sentence that is longer than the limit.' }];
  const steps = [{ type: 'chunk', chunker: 'sentence', config: { chunk_size: 20 } }];
  const before = await metricOf(server, 'bulk_chunks_oversize_total');
  t.match(await runJob(server, { source: { documents }, steps }), { chunks: 2, chunks_oversize: 1 });
  t.equal((await metricOf(server, 'bulk_chunks_oversize_total')) - before, 1);
});

const LEXICAL = needs('refinery/embeddings', 'embedding/static', 'tokenizer/huggingface');
t.test('lexical vectors are counted in the job', LEXICAL, async (t) => {
  const documents = [{ text: 'Tea' }, { text: '今天' }, { text: 'der Tee' }, { text: '***' }];
  const steps = [...STEPS, { type: 'refine', refinery: 'embeddings' }];
  const job = await runJob(server, { source: { documents }, steps });
  t.match(job, { documents: { done: 4 }, embedding_empty: 1, embedding_fallback: 2 });
});

t.test('documents of the request are chunked, with the bytes of their metadata', async (t) => {
  const body = `{"steps": ${JSON.stringify(STEPS)}, "source": {"documents": [
    {"id": "a", "text": "one\\ntwo", "metadata": {"big": 12345678901234567890.50}},
    {"id": "b",
     "text": "three"}
  ]}}`;
  const { id } = (await server.post(JOBS, body)).json<{ id: string }>();
  await untilState(server, id, 'done');
  const answer = await server.send(`${JOBS}/${id}/result`, { headers: { accept: 'application/x-ndjson' } });
  t.match(answer.bytes.toString(), '"metadata":{"big": 12345678901234567890.50}');
  const told = (await outputOf(server, id)).map(({ document_id, text }) => `${document_id} ${text}`);
  t.same(told, ['a one\n', 'a two', 'b thre', 'b e']);
  t.notOk(JSON.stringify(await jobOf(server, id)).includes('three'), 'documents are not shown');
});

t.test('a stored pipeline runs by its name or id, as it is when the job is made', async (t) => {
  const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 5 } }];
  const { id } = (await server.post('/v1/pipelines', { name: 'five', steps })).json<{ id: string }>();
  for (const pipeline of ['five', id]) {
    const job = await runJob(server, { steps: undefined, pipeline, source: { path: 'other.txt' } });
    t.same(await textsOf(job.id), ['not a', 'sked ', 'for']);
  }
});

t.test('documents that fail are told, and do not stop the others', async (t) => {
  const source = { path: 'bad.jsonl' };
  const job = await runJob(server, { source });
  t.match(job.documents, { done: 2, failed: 2 });
  t.match(await outputOf(server, job.id, 'errors'), [
    { source: 'bad.jsonl', byte: 27, id: 'b', status: 400, detail: /text: missing/ },
    { source: 'bad.jsonl', byte: 39, status: 400, detail: /not a line of valid JSON/ },
  ]);
  const receiver = await startReceiver(t);
  const { id } = await createJob(server, { source, max_errors: 1, callback: receiver.url });
  const failed = await untilState(server, id, 'failed');
  t.match(failed.error, { status: 422, detail: /2 documents failed.*max_errors/ });
  await until(() => receiver.received.length > 0);
  t.equal(receiver.at(0).headers['x-chunksmith-event'], 'job.failed');
  checkProblem(t, await server.get(`${JOBS}/${id}/result`), 409, [/is failed/, /retry/]);
});

t.test('fields of files that are one text each fail the job, which says how to name them', async (t) => {
  const { error } = await runJob(
    server,
    { source: { path: 'other.txt', fields: { text: 'body' } } },
    'failed',
  );
  t.match(error, { status: 400, detail: /source\.fields: each file is one text .* "format": "csv"/ });
});

t.test('a shard that failed is done again, and no other', async (t) => {
  const { id, open } = await startGated('gate-of-shards', { source: { path: 'lines' } });
  const [file, hidden] = [join(server.root, 'lines/2.jsonl'), join(server.root, 'hidden.jsonl')];
  await rename(file, hidden);
  await open();
  t.match(await untilState(server, id, 'failed'), {
    shards: { total: 3, done: 2, failed: 1 },
    error: { detail: /lines\/2\.jsonl was changed or removed/ },
  });
  t.match(await shardsOf(id, '?state=failed'), [
    { seq: 2, state: 'failed', source: { file: 'lines/2.jsonl' }, error: { status: 400 } },
  ]);
  await rename(hidden, file);
  t.equal((await server.post(`${JOBS}/${id}/retry`, '')).status, 200);
  t.match(await untilState(server, id, 'done'), { shards: { done: 3, failed: 0 }, documents: { done: 3 } });
  const attempts = (await shardsOf(id)).map(({ attempt }) => attempt);
  t.same(attempts.slice(0, 2), [1, 1], 'what was done is not done again');
  t.same(await textsOf(id), Object.values(LINES));
  checkProblem(t, await server.post(`${JOBS}/${id}/retry`, ''), 409, /is done/);
});

t.test('a job is cancelled while it runs, and deleted with its files when it is over', async (t) => {
  const { id, open } = await startGated('gate-of-cancel');
  checkProblem(t, await remove(id), 409, [/is running/, /cancel/]);
  checkProblem(t, await server.get(`${JOBS}/${id}/result`), 409, [/is running/, /wait/]);
  checkProblem(t, await server.post(`${JOBS}/${id}/retry`, ''), 409, /is running/);
  for (let time = 0; time < 2; time++) {
    const answer = await server.post(`${JOBS}/${id}/cancel`, '');
    t.equal(answer.status, 200);
    t.match(answer.json(), { state: 'cancelled', shards: { total: 3, done: 0 } });
  }
  await open();
  t.equal((await server.post(`${JOBS}/${id}/retry`, '')).status, 200);
  await untilState(server, id, 'done');
  const output = join(server.root, `chunksmith-jobs/${id}`);
  t.ok(existsSync(join(output, 'manifest.json')));
  t.equal((await remove(id)).status, 204);
  t.notOk(existsSync(output), 'nothing is left');
  checkProblem(t, await server.get(`${JOBS}/${id}`), 404, /GET \/v1\/jobs/);
  checkProblem(t, await remove(id), 404, /no job/);
});

t.test('jobs and shards are listed page by page', async (t) => {
  const ids = (await server.get(`${JOBS}?state=done`)).json<JobAnswer[]>().map(({ id }) => id);
  for (let count = 0; count < 3; count++) ids.unshift((await runJob(server, { source: KB })).id);
  const found: string[] = [];
  let path = `${JOBS}?limit=2&state=done`;
  for (let link: string | undefined = ''; link !== undefined; ) {
    const page = await server.get(path);
    found.push(...page.json<{ id: string }[]>().map(({ id }) => id));
    link = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    path = `${JOBS}${link}`;
  }
  t.ok(ids.length > 4, `${ids.length} jobs`);
  t.same(found, ids, 'newest first');
  t.same((await server.get(`${JOBS}?state=planning`)).json(), []);
  const { id } = await runJob(server, { source: { path: 'lines' } });
  const shards = await server.get(`${JOBS}/${id}/shards?limit=2`);
  t.match(shards.json(), [{ seq: 0 }, { seq: 1 }]);
  t.match(await shardsOf(id, `?cursor=${shards.headers.get('x-next-cursor')}`), [{ seq: 2 }]);
});

/** Whether a body has the signature of its header, by the documented rule. */
function isSigned(header: string, body: Buffer): boolean {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  return createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex') === signature;
}

t.test('a job that is done is posted, signed, as GET answers it', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await createJob(server, { source: KB, callback: receiver.url });
  await until(() => receiver.received.length > 0);
  const { method, headers, body } = receiver.at(0);
  t.equal(method, 'POST');
  const told = { 'x-chunksmith-event': 'job.done', 'x-chunksmith-id': new RegExp(`^${id}/`) };
  t.match(headers, { ...told, 'content-type': 'application/json' });
  t.ok(isSigned(String(headers['x-chunksmith-signature']), body), 'the signature fits');
  const { bytes_per_second: _, ...shown } = JSON.parse(body.toString()) as JobAnswer;
  t.match(await jobOf(server, id), shown);
});

t.test('a receiver that is away is asked again, with the same id; one that refuses once', async (t) => {
  const refusing = await startReceiver(t, (_request, response) => void response.writeHead(410).end());
  const { id } = await createJob(server, { source: KB, callback: refusing.url });
  await until(() => refusing.received.length > 0);
  const statuses = [503, 204];
  const away = await startReceiver(t, (_request, response) => {
    response.writeHead(statuses.shift() as number).end();
  });
  await createJob(server, { source: KB, callback: away.url });
  await until(() => away.received.length > 1);
  t.equal(away.at(0).headers['x-chunksmith-id'], away.at(1).headers['x-chunksmith-id']);
  t.equal(refusing.received.length, 1);
  t.match(await jobOf(server, id), { state: 'done', error: null });
});

t.test('with the store in memory one process does all', async (t) => {
  const memory = await startServer(t, { store: 'memory', bulkRoot: server.root });
  const { id } = await createJob(memory, { source: KB });
  t.match(await untilState(memory, id, 'done'), { documents: { done: 2 } });
  await until(async () => (await metricOf(memory, 'bulk_shards{state="done"}')) === 3);
});
