import { mkdir, symlink } from 'node:fs/promises';
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
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { temporaryFolder } from '../../support/server.ts';

/** Requests for jobs: what is checked, refused, and taken for the same. */

const SECRET = { bulkCallbackSecret: 'a secret of some length' };
const server = await startJobServer(t, { 'kb/a.txt': 'one two' }, SECRET);
const source = { path: 'kb' };
const post = (body: object) => server.post(JOBS, { source, steps: STEPS, ...body });

t.test('all problems of a request are told at once', async (t) => {
  const answer = await server.post(JOBS, {
    source: { path: 'kb', format: 'xml', fields: { txt: 'a' } },
    steps: STEPS,
    group: 'page',
    max_errors: -1,
    targets: {},
  });
  checkProblem(t, answer, 400, [
    /source\.format: expected one of "auto", "files", "jsonl", "csv", "parquet", got "xml"/,
    /source\.fields\.txt: unknown parameter, did you mean "text"\?/,
    /group: expected one of "chunk", "document", got "page"/,
    /max_errors: expected/,
    /targets: unknown parameter, did you mean "target"\?/,
  ]);
  const later = await post({
    steps: [{ type: 'chunk', chunker: 'token', config: { chunk_sise: 1 } }],
    callback: 'ftp://host/x',
  });
  checkProblem(t, later, 400, [/steps\[0\]\.config\.chunk_sise: unknown/, /callback: expected a URL/]);
});

t.test('a request needs a source and steps, each once', async (t) => {
  checkProblem(t, await server.post(JOBS, {}), 400, [
    /source: missing/,
    /steps: missing, expected steps, or the name/,
  ]);
  checkProblem(t, await post({ source: {} }), 400, /source: expected a path, or documents/);
  checkProblem(t, await post({ pipeline: 'x' }), 400, /steps: cannot be given together with pipeline/);
  checkProblem(
    t,
    await post({ source: { path: 'kb', documents: [{ text: 'a' }] } }),
    400,
    /source\.documents: cannot be given together with path/,
  );
  checkProblem(t, await post({ steps: [] }), 400, /steps: expected a list of at least 1, got a list/);
  checkProblem(
    t,
    await post({ steps: [{ type: 'chunk', chunker: 'tokn' }] }),
    400,
    /there is no chunker "tokn".*did you mean "token"\?\)\.$/,
  );
  checkProblem(t, await post({ steps: undefined, pipeline: 'none' }), 400, /there is no pipeline "none"/);
  for (const body of [[], 'text', null])
    checkProblem(t, await server.post(JOBS, JSON.stringify(body)), 400, /object/);
});

t.test('documents are checked at once, as those of a chunker are', async (t) => {
  const of = (documents: unknown) => post({ source: { documents } });
  checkProblem(t, await of([]), 400, /source\.documents: expected/);
  checkProblem(t, await of([{ text: 'a' }, { id: 'b' }]), 400, /source\.documents\[1\]\.text: missing/);
  checkProblem(
    t,
    await of([
      { text: 'a', id: 'x' },
      { text: 'b', id: 'x' },
    ]),
    400,
    /documents\[1\]\.id: documents\[0\] has it too/,
  );
  const small = await startJobServer(t, {}, { maxDocuments: 1, maxCharacters: 5 });
  const tooMany = { source: { documents: [{ text: 'a' }, { text: 'b' }] }, steps: STEPS };
  checkProblem(t, await small.post(JOBS, tooMany), 400, /--max-documents/);
  const tooLong = { source: { documents: [{ text: 'abcdef' }] }, steps: STEPS };
  checkProblem(t, await small.post(JOBS, tooLong), 400, /--max-characters/);
  const large = { source: { documents: [{ text: 'x'.repeat(17_000_000) }] }, steps: STEPS };
  checkProblem(t, await server.post(JOBS, large), 413, /16777216/);
});

t.test('a million bad documents are one short message', async (t) => {
  const answer = await server.post(
    JOBS,
    `{"source": {"documents": [${'0,'.repeat(1_000_000)}0]}, "steps": []}`,
  );
  checkProblem(t, answer, 400, /source\.documents\[0\]/);
  t.ok(answer.bytes.length < 1000, `${answer.bytes.length} bytes`);
});

t.test('no path leads out of the root, and no other scheme is followed', async (t) => {
  const outside = await temporaryFolder(t, { 'secret.txt': 'secret' });
  await symlink(outside, join(server.root, 'link'));
  await symlink(join(outside, 'secret.txt'), join(server.root, 'file-link'));
  await mkdir(join(server.root, 'real'));
  const paths = [
    '../x',
    'kb/../../x',
    '/etc/passwd',
    outside,
    'link',
    'link/secret.txt',
    'file-link',
    'kb\\..\\x',
  ];
  for (const path of paths) {
    checkProblem(t, await post({ source: { path } }), 400, /leads out of|cannot be read/);
    if (path !== 'kb\\..\\x') checkProblem(t, await post({ target: { path } }), 400, /leads out of/);
  }
  for (const path of ['file:/etc/passwd', 'http://127.0.0.1/', 'gs://bucket/x', 'data:text/plain,x']) {
    checkProblem(t, await post({ source: { path } }), 400, /s3:\/\/<connection>/);
    checkProblem(t, await post({ target: { path } }), 400, /s3:\/\/<connection>/);
  }
  checkProblem(t, await post({ source: { path: 's3://nowhere/x' } }), 400, /no connection nowhere/);
  checkProblem(t, await post({ source: { path: 'kb/\0' } }), 400, /source\.path: expected text without NUL/);
  checkProblem(
    t,
    await post({ source: { path: 'kb/none.txt' } }),
    400,
    /no file of this name, and none below it/,
  );
  t.same((await server.get(JOBS)).json(), [], 'no job was made');
});

t.test('the output of jobs is no source of other jobs', async (t) => {
  const own = await startJobServer(t, { 'a.txt': 'one' });
  await runJob(own, { source: { path: '.' } });
  const { id, documents } = await runJob(own, { source: { path: '.' }, target: { path: 'out' } });
  t.same(documents, { done: 1, failed: 0 });
  t.same(
    (await outputOf(own, id)).map(({ document_id }) => document_id),
    ['a.txt'],
  );
});

t.test('two jobs do not write into one folder', async (t) => {
  const first = await runJob(server, { source, target: { path: 'shared' } });
  t.equal(first.state, 'done');
  const { id } = await createJob(server, { source, target: { path: 'shared' } });
  t.match((await untilState(server, id, 'failed')).error, {
    status: 409,
    detail: /has the output of another job/,
  });
});

t.test('the same key and request give the same job, also at the same time', async (t) => {
  const headers = { 'idempotency-key': 'upload-1' };
  const body = { source, steps: STEPS };
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.post(JOBS, body, headers)));
  t.same(answers.map(({ status }) => status).sort(), [...Array<number>(19).fill(200), 202]);
  t.equal(new Set(answers.map((answer) => answer.json<{ id: string }>().id)).size, 1);
  const reordered = `{"steps": ${JSON.stringify(STEPS)},  "source": {"path": "kb"}}`;
  t.equal((await server.post(JOBS, reordered, headers)).status, 200, 'order and white space do not matter');
  const { id } = answers[0]?.json<{ id: string }>() ?? { id: '' };
  const other = await server.post(JOBS, { ...body, max_errors: 3 }, headers);
  checkProblem(t, other, 422, new RegExp(`belongs to the job ${id}`));
  for (const key of ['', 'two words', 'ü', 'x'.repeat(256)]) {
    const refused = await server.post(JOBS, body, { 'idempotency-key': key });
    checkProblem(t, refused, 400, /Idempotency-Key: expected 1 to 255 visible ASCII/);
  }
  t.equal((await server.post(JOBS, body)).status, 202, 'without a key each is a job of its own');
});

t.test('uploads that differ in a document have different digests', async (t) => {
  const headers = { 'idempotency-key': 'upload-2' };
  const of = (text: string) => ({ source: { documents: [{ id: 'a', text }] }, steps: STEPS });
  t.equal((await server.post(JOBS, of('one'), headers)).status, 202);
  t.equal((await server.post(JOBS, of('one'), headers)).status, 200);
  t.equal((await server.post(JOBS, of('two'), headers)).status, 422);
});

t.test('callbacks are signed, or refused', async (t) => {
  const silent = await startJobServer(t, { 'kb/a.txt': 'one two' });
  const body = { source, steps: STEPS, callback: 'https://example.com/done' };
  checkProblem(t, await silent.post(JOBS, body), 400, /callback: .* set the variable BULK_CALLBACK_SECRET/);
});

t.test('callbacks go to public addresses alone, unless the server is told otherwise', async (t) => {
  for (const callback of [
    'http://127.0.0.1/x',
    'http://[::1]/x',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
  ]) {
    checkProblem(t, await post({ callback }), 400, /callback: .* is no public address/);
  }
  checkProblem(t, await post({ callback: 'https://a:b@example.com/' }), 400, /without user and password/);
  const { id } = (await post({ callback: 'https://example.invalid/done' })).json<{ id: string }>();
  t.match(await jobOf(server, id), { id });
});

const SINK = `export default () => ({ async open() { return { async upsert() {}, async deleteMissing() {}, async close() {} } } });\n`;

t.test('the options of a sink are checked at once, and one that cannot run says what it lacks', async (t) => {
  const options = {
    type: 'object',
    required: ['collection'],
    properties: { collection: { type: 'string', description: 'x' } },
  };
  const pluginsDir = [
    await pluginsFolder(
      t,
      plugin({ kind: 'sink', name: 'nowhere', options }, SINK),
      plugin({ kind: 'sink', name: 'lacking', needs: { env: ['NO_SUCH_VARIABLE'] } }, SINK),
    ),
  ];
  const own = await startJobServer(t, { 'kb/a.txt': 'one' }, { pluginsDir });
  const of = (sink: object, more: object = {}) =>
    own.post(JOBS, { source, steps: STEPS, target: { sink }, ...more });
  checkProblem(t, await of({ name: 'nowhere', colection: 'x' }), 400, [
    /target\.sink\.colection: unknown parameter, did you mean "collection"\?/,
    /target\.sink\.collection: missing/,
  ]);
  checkProblem(
    t,
    await of({ name: 'nowhere', collection: 'x' }, { include: ['index'] }),
    400,
    /include: expected id/,
  );
  checkProblem(
    t,
    await of({ name: 'nowhere', collection: 'x' }, { group: 'document' }),
    400,
    /group: a sink takes chunks/,
  );
  checkProblem(t, await of({ name: 'nothing' }), 400, /no sink "nothing"; known are .*nowhere/);
  checkProblem(t, await of({}), 400, /target\.sink\.name: missing/);
  checkProblem(t, await of({ name: 'lacking' }), 500, /NO_SUCH_VARIABLE/);
  const { id } = (await of({ name: 'nowhere', collection: 'x' })).json<{ id: string }>();
  await untilState(own, id, 'done');
  t.same(await outputOf(own, id), [], 'the sink has the chunks');
});
