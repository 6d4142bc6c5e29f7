import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Flags, readConfig } from '../../../../server/config/config.ts';
import { readCorporaSettings } from '../../../../server/corpora/storage/settings.ts';
import { needs } from '../../../support/here.ts';
import { JOBS, outputOf, runJob, STEPS, startJobServer } from '../../../support/jobs.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { temporaryFolder } from '../../../support/server.ts';

/** Requests for jobs: what is checked, refused, and taken for the same. */

const SECRET = { bulkCallbackSecret: 'a secret of some length' };
const server = await startJobServer(t, { 'kb/a.txt': 'one two' }, SECRET);
const source = { path: 'kb' };
const post = (body: object) => server.post(JOBS, { source, steps: STEPS, ...body });

const checkRefused = async (t: Test, request: object, problems: Parameters<typeof checkProblem>[3]) =>
  checkProblem(t, await post(request), 400, problems);

t.test('all problems of a request are told at once', async (t) => {
  const mistyped = { source: { ...source, format: 'xml', fields: { txt: 'a' } }, group: 'page', targets: {} };
  await checkRefused(t, { ...mistyped, max_errors: -1 }, [
    /source\.format: expected one of "auto", "files", "jsonl", "csv", "parquet", got "xml"/,
    /source\.fields\.txt: unknown parameter, did you mean "text"\?/,
    /group: expected one of "chunk", "document", got "page"/,
    /max_errors: expected/,
    /targets: unknown parameter, did you mean "target"\?/,
  ]);
  const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_sise: 1 } }];
  const problems = [/steps\[0\]\.config\.chunk_sise: unknown/, /callback: expected a URL/];
  await checkRefused(t, { steps, callback: 'ftp://host/x' }, problems);
});

const of = (...documents: unknown[]) => ({ source: { documents } });
const A = { text: 'a', id: 'x' };

t.test('a request needs a source and steps, each once; documents are as those of a chunker', async (t) => {
  const missing = [/source: missing/, /steps: missing, expected steps, or the name/];
  for (const [request, problems] of [
    [{ source: undefined, steps: undefined }, missing],
    [{ source: {} }, /source: expected a path, or documents/],
    [{ pipeline: 'x' }, /steps: cannot be given together with pipeline/],
    [{ source: { path: 'kb', documents: [A] } }, /source\.documents: cannot be given together with path/],
    [{ steps: [] }, /steps: expected a list of at least 1, got an empty list/],
    [{ steps: [{ type: 'chunk', chunker: 'tokn' }] }, /no chunker "tokn".*did you mean "token"\?\)\.$/],
    [{ steps: undefined, pipeline: 'none' }, /unknown pipeline "none"/],
    [of(), /source\.documents: expected/],
    [of(A, { id: 'b' }), /source\.documents\[1\]\.text: missing/],
    [of(A, A), /source\.documents\[1\]\.id: source\.documents\[0\] has the same id/],
    [
      of({ ...A, id: 7 }, { ...A, id: '7' }),
      /source\.documents\[1\]\.id: source\.documents\[0\] has the same id/,
    ],
  ] as const) {
    await checkRefused(t, request, problems);
  }
  for (const body of ['[]', '"text"', 'null']) checkProblem(t, await server.post(JOBS, body), 400, /object/);
});

t.test('documents have limits', async (t) => {
  const small = await startJobServer(t, {}, { maxDocuments: 1, maxCharacters: 5 });
  const askSmall = (request: object) => small.post(JOBS, { ...request, steps: STEPS });
  checkProblem(t, await askSmall(of(A, { text: 'b' })), 400, /--max-documents/);
  checkProblem(t, await askSmall(of({ text: 'abcdef' })), 400, /--max-characters/);
  checkProblem(t, await post(of({ text: 'x'.repeat(17_000_000) })), 413, /16777216/);
});

t.test('a million bad documents are one short message', async (t) => {
  const body = `{"source": {"documents": [${'0,'.repeat(1_000_000)}0]}, "steps": []}`;
  const answer = await server.post(JOBS, body);
  checkProblem(t, answer, 400, /source\.documents\[0\]/);
  t.ok(answer.bytes.length < 1000, `${answer.bytes.length} bytes`);
});

t.test('no path leads out of the root, and no other scheme is followed', async (t) => {
  const outside = await temporaryFolder(t, { 'secret.txt': 'secret' });
  await symlink(outside, join(server.root, 'link'));
  await symlink(join(outside, 'secret.txt'), join(server.root, 'file-link'));
  for (const path of ['../x', 'kb/../../x', '/etc/passwd', outside, 'link', 'link/secret.txt', 'file-link'])
    for (const place of ['source', 'target']) await checkRefused(t, { [place]: { path } }, /is outside/);
  for (const [path, problem] of [
    ['kb\\..\\x', /is outside|cannot be read/],
    ['file:/etc/passwd', /s3:\/\/<connection>/],
    ['s3://nowhere/x', /no connection nowhere/],
    ['kb/\0', /source\.path: expected text without NUL/],
    ['kb/none.txt', /no file has this name, or is in a folder of this name/],
  ] as const) {
    await checkRefused(t, { source: { path } }, problem);
  }
  t.same((await server.get(JOBS)).json(), [], 'no job was made');
});

t.test('the output of jobs is no source of other jobs', async (t) => {
  const own = await startJobServer(t, { 'a.txt': 'one' });
  await runJob(own, { source: { path: '.' } });
  const { id, documents } = await runJob(own, { source: { path: '.' }, target: { path: 'out' } });
  t.same(documents, { done: 1, failed: 0, skipped: 0 });
  t.match(await outputOf(own, id), [{ document_id: 'a.txt' }]);
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
  const upload = async (text: string) =>
    (await server.post(JOBS, { ...body, ...of({ text }) }, { 'idempotency-key': 'upload-2' })).status;
  t.same([await upload('one'), await upload('one'), await upload('two')], [202, 200, 422]);
  for (const key of ['', 'two words', 'ü', 'x'.repeat(256)]) {
    const refused = await server.post(JOBS, body, { 'idempotency-key': key });
    checkProblem(t, refused, 400, /Idempotency-Key: expected 1 to 255 visible ASCII/);
  }
  t.equal((await server.post(JOBS, body)).status, 202, 'without a key each is a job of its own');
});

t.test('callbacks are signed and go to public addresses alone, or are refused', async (t) => {
  const silent = await startJobServer(t, { 'kb/a.txt': 'one two' });
  const body = { source, steps: STEPS, callback: 'https://example.com/done' };
  checkProblem(t, await silent.post(JOBS, body), 400, /callback: .* set the variable BULK_CALLBACK_SECRET/);
  for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254'])
    await checkRefused(t, { callback: `http://${host}/x` }, /callback: .* is not a public address/);
  await checkRefused(t, { callback: 'https://a:b@example.com/' }, /without a user and password/);
  t.equal((await post({ callback: 'https://example.invalid/done' })).status, 202);
});

const SINK = `export default () => ({ async open() { return { async upsert() {}, async deleteMissing() {}, async close() {} } } });\n`;

t.test('the options of a sink are checked at once, and one that cannot run says what it lacks', async (t) => {
  const properties = { collection: { type: 'string', pattern: '^[a-z]+$', description: 'x' } };
  const options = { type: 'object', required: ['collection'], properties };
  const sinks = [
    plugin({ kind: 'sink', name: 'nowhere', options }, SINK),
    plugin({ kind: 'sink', name: 'lacking', needs: { env: ['NO_SUCH_VARIABLE'] } }, SINK),
  ];
  const config = { pluginsDir: [await pluginsFolder(t, ...sinks)] };
  const own = await startJobServer(t, { 'kb/a.txt': 'one' }, config);
  const good = { name: 'nowhere', collection: 'x' };
  const mistyped = [/sink\.colection: .*, did you mean "collection"\?/, /target\.sink\.collection: missing/];
  const steps = [
    { ...STEPS[0], config: { chunksize: 1 } },
    { type: 'refine', refinery: 'embedings' },
  ];
  const wrong = { ...of({ id: 'a' }), x: 1, steps };
  const others = [
    /x: unknown/,
    /config\.chunksize: unknown/,
    /\[0\]\.text: missing/,
    /no refinery "embedings"; available/,
  ];
  for (const [sink, more, status, problems] of [
    [{ name: 'nowhere', colection: 'x' }, {}, 400, mistyped],
    [{ name: 'nowhere', colection: 'x' }, wrong, 400, [...mistyped, ...others]],
    [{ ...good, collection: 'A' }, {}, 400, /collection: .* that matches \^\[a-z]\+\$, got "A"/],
    [good, { include: ['index'] }, 400, /include: must contain id/],
    [good, { group: 'document' }, 400, /group: a sink stores single chunks/],
    [{ name: 'nothing' }, {}, 400, /no sink "nothing"; available: .*nowhere/],
    [{}, {}, 400, /target\.sink\.name: missing/],
    [{ name: 'lacking' }, {}, 500, /NO_SUCH_VARIABLE/],
  ] as const) {
    const answer = await own.post(JOBS, { source, steps: STEPS, target: { sink }, ...more });
    checkProblem(t, answer, status, problems);
  }
  const { id } = await runJob(own, { source, target: { sink: good } });
  t.same(await outputOf(own, id), [], 'the sink has the chunks');
});

t.test('roles that cannot work are refused at the start', async (t) => {
  const read = (flags: Flags) => readCorporaSettings(readConfig(flags, {}), {});
  const root = await temporaryFolder(t);
  for (const [flags, message] of [
    [{ role: 'worker' }, /--role worker: .*--bulk-root or --bulk-connections/],
    [{ role: 'api', store: 'memory', bulkRoot: root }, /--role api: .*--store memory/],
    [{ bulkRoot: join(root, 'none') }, /--bulk-root .*: there is no such folder/],
  ] as const) {
    t.throws(() => read(flags), { message });
  }
  t.equal(read({ role: 'worker', bulkRoot: root }).root, root);
});

const OF_PRESET = needs('chunker/recursive', 'refinery/context', 'tokenizer/tiktoken');

t.test('a preset is taken instead of steps, and expanded when the job is made', OF_PRESET, async (t) => {
  const documents = [{ id: 'tea', title: 'Tea', text: 'Boil water.\nWait a while.' }];
  const override = { recursive: { chunk_size: 5 }, embeddings: null };
  const made = { source: { documents }, preset: 'prose', override };
  const job = await runJob(server, { ...made, steps: undefined });
  const executed = await server.post('/v1/presets/prose/execute', { documents, override });
  t.same(await outputOf(server, job.id), executed.json<object[][]>()[0]);
  t.match(await outputOf(server, job.id), [
    { context: 'Tea', text: 'Boil water.\n' },
    { context: 'Tea', text: 'Wait a while.' },
  ]);
  for (const [request, problem] of [
    [{ preset: 'prose' }, /preset: cannot be given together with steps/],
    [
      { preset: 'prose', pipeline: 'kept', steps: undefined },
      /preset: cannot be given together with pipeline/,
    ],
    [{ override }, /override: allowed only with preset/],
    [{ preset: 'pose', steps: undefined }, /preset: unknown preset "pose", did you mean "prose"\?/],
    [
      { preset: 'prose', override: { recursive: null }, steps: undefined },
      /recursive: the chunker cannot be/,
    ],
    [
      { preset: 'prose', override: { context: { tmplate: '' } }, steps: undefined, x: 1 },
      [/override\.context\.tmplate: unknown parameter, did you mean "template"/, /x: unknown/],
    ],
  ] as const)
    await checkRefused(t, request, problem);
});
