import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import { runHere } from '../../../server/cli/command.ts';
import { postFile, postForm } from '../../../support/files.ts';
import { outputOf, runJob, startJobServer } from '../../../support/jobs.ts';
import { chunkStep, refineStep } from '../../../support/service.ts';
import { LINES, linesIn } from '../../../support/streams.ts';
import { chunksOf } from '../refining.ts';

/** The file name of a document is in its contexts, whichever way the document comes. */

const NAME = 'docs/guide/tea.txt';
const TEXT = 'Boil water.';
const config = { template: '{filename|id}' };
const steps = [chunkStep('token', { tokenizer: 'character', chunk_size: 6 }), refineStep('context', config)];
const documents = [{ text: TEXT, filename: NAME }, { text: TEXT, id: 'other' }, { text: TEXT }];
const EXPECTED = [
  [NAME, NAME],
  ['other', 'other'],
  [null, null],
];

const server = await startJobServer(t, {
  [NAME]: TEXT,
  'lines.jsonl': documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
});
const contextsOf = (chunks: readonly object[]) => chunks.map((chunk) => (chunk as Chunk).context);

const { id } = (await server.post('/v1/pipelines', { name: 'named', steps })).json<{ id: string }>();
const execute = `/v1/pipelines/${id}/execute`;

t.test('in JSON and in lines', async (t) => {
  t.same((await server.post(execute, { documents })).json<Chunk[][]>().map(contextsOf), EXPECTED);
  const lines = documents.map((document) => JSON.stringify(document)).join('\n');
  const { bytes } = await server.post(execute, `{}\n${lines}`, { 'content-type': LINES });
  const answers = linesIn<{ readonly chunks: Chunk[] }>(bytes);
  t.same(
    answers.map(({ chunks }) => contextsOf(chunks)),
    EXPECTED,
  );
});

t.test('of files, with the folders in front', async (t) => {
  const file = { bytes: TEXT, name: NAME, type: 'text/plain' };
  for (const answer of [
    await postForm(server, `${execute}/file`, file),
    await postForm(server, `${execute}/file`, { ...file, name: 'x.txt' }, [['filename', NAME]]),
    await postFile(server, `${execute}/file?filename=${NAME}`, TEXT, { 'content-type': 'text/plain' }),
  ])
    t.same(contextsOf(answer.json<Chunk[]>()), [NAME, NAME]);
});

t.test('in jobs over files and over lines, and on the command line', async (t) => {
  const job = async (path: string, format: string) => {
    const { id } = await runJob(server, { source: { path, format }, steps });
    return contextsOf(await outputOf(server, id));
  };
  t.same(await job('docs', 'files'), [NAME, NAME]);
  t.same(await job('lines.jsonl', 'jsonl'), EXPECTED.flat());
  const pipeline = join(server.root, 'pipeline.json');
  await writeFile(pipeline, JSON.stringify({ name: 'named', steps }));
  const run = await runHere(t, ['chunk', 'docs', '--pipeline', pipeline], { cwd: server.root });
  t.equal(run.status, 0, run.stderr);
  t.same(contextsOf(run.lines()), [NAME, NAME]);
});

t.test('of chunks in a request, in their own metadata', async (t) => {
  const names = [NAME, 5, ['a'], null];
  const chunks = names.flatMap((filename) => chunksOf(['text'], { metadata: { filename } }));
  const more = [...chunks, ...chunksOf(['text'], { metadata: 'text', document_id: 'other' })];
  const answer = await server.post('/v1/refine/context', { chunks: more, ...config });
  t.same(contextsOf(answer.json<Chunk[]>()), [NAME, null, null, null, 'other']);
});
