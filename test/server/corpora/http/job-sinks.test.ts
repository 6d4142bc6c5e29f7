import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import t, { type Test } from 'tap';
import { runJob, startJobServer } from '../../../support/jobs.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';

/** Jobs whose chunks a sink stores: where that is done, and what is stored. */

const options = {
  type: 'object',
  properties: { file: { type: 'string', description: 'Where it notes its calls.' } },
};

/** Notes each of its calls, and the thread, as a line of a file. */
const NOTING = `import { appendFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
export default () => {
  const noteIn = (file) => (call) => appendFile(file, JSON.stringify({ isMainThread, ...call }) + '\\n');
  return {
    async open({ options: { file }, dimensions }) {
      const note = noteIn(file);
      await note({ opened: true });
      return {
        upsert: (chunks) => note({ upserted: chunks.map(({ document_id, fields }) => ({ document_id, fields })) }),
        deleteMissing: async () => {},
        close: () => note({ closed: true }),
      };
    },
    removeDocuments: (removed, { file }) => noteIn(file)({ removed }),
  };
};
`;

const METADATA = '"n":1e400,"id_there":12345678901234567890';
const LINES = Array.from(
  { length: 100 },
  (_, id) => `{"id":"${id}","text":"Tea is a hot drink. Pour the water.",${METADATA}}\n`,
);

async function start(t: Test, workers: number) {
  const pluginsDir = [await pluginsFolder(t, plugin({ kind: 'sink', name: 'noting', options }, NOTING))];
  const server = await startJobServer(
    t,
    { 'kb/a.jsonl': LINES.join(''), notes: '' },
    { pluginsDir, workers },
  );
  const file = join(server.root, 'notes');
  const request = {
    source: { path: 'kb', fields: { id: 'id', metadata: ['n', 'id_there'] } },
    include: ['id', 'metadata'],
    target: { sink: { name: 'noting', file } },
  };
  const notes = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return { root: server.root, run: () => runJob(server, request), notes };
}

/** Notes which texts of chunks are parsed in this thread until the test ends. */
function watchParsing(t: Test): string[] {
  const parsed: string[] = [];
  const { parse } = JSON;
  const value = (text: string, ...more: []) => {
    if (String(text).includes('"start_index"')) parsed.push(text);
    return parse(text, ...more);
  };
  t.intercept(JSON, 'parse', { value });
  return parsed;
}

t.test('the event loop of the server parses no chunk on its way to a sink', async (t) => {
  const { run, notes } = await start(t, 1);
  const parsed = watchParsing(t);
  t.match(await run(), { documents: { done: 100, failed: 0 } });
  t.same(parsed, [], 'they are bytes here');
  const calls = await notes();
  const [upserted = ''] = calls.filter((call) => call.startsWith('{"isMainThread":false,"upserted":'));
  const written = upserted.split(`"metadata":{${METADATA}}`).length - 1;
  t.ok(written > 0 && written === upserted.split('"document_id"').length - 1, 'numbers come digit by digit');
  t.notOk(calls.join('\n').includes('"isMainThread":true'), 'the sink runs in a thread');
  t.equal(calls.filter((call) => call.includes('"opened"')).length, 1, 'which keeps its collection');
});

t.test('without threads a sink runs as other work does', async (t) => {
  const { run, notes } = await start(t, 0);
  t.match(await run(), { documents: { done: 100, failed: 0 } });
  t.ok((await notes()).every((call) => call.startsWith('{"isMainThread":true')));
});

t.test('documents that became empty are removed, though no chunk is left in their shard', async (t) => {
  const { root, run, notes } = await start(t, 1);
  await writeFile(join(root, 'kb/a.jsonl'), '{"id":"1","text":""}\n{"id":"2","text":" "}\n');
  t.match(await run(), { documents: { done: 2, failed: 0 }, chunks: 0 });
  const calls = (await notes()).map((call) => JSON.parse(call));
  const gone = calls.flatMap(({ removed = [] }) => removed);
  t.same(gone, ['1', '2']);
  t.notOk(
    calls.some((call) => 'opened' in call),
    'and nothing is opened for it',
  );
});

t.test('what a sink refuses for good is not tried again', async (t) => {
  const source = `import { exposedError } from 'chunksmith/kit';
  export default () => ({
    async open() { throw Object.assign(exposedError('choose another table'), { statusCode: 400 }); },
  });`;
  const pluginsDir = [await pluginsFolder(t, plugin({ kind: 'sink', name: 'refusing' }, source))];
  const server = await startJobServer(t, { 'a.txt': 'tea' }, { pluginsDir });
  const target = { sink: { name: 'refusing' } };
  const job = await runJob(server, { source: { path: 'a.txt' }, include: ['id'], target }, 'failed');
  t.match(job.error, { status: 400, detail: 'choose another table' });
  const shards = (await server.get(`/v1/jobs/${job.id}/shards`)).json<object[]>();
  t.match(shards, [{ state: 'failed', attempt: 1 }]);
});

const VECTORS = `export default () => ({
  refine: (chunks) => chunks.map((chunk) => ({ ...chunk, embedding: Float32Array.of(0.1, -1e-7, chunk.end_index / 3), other: Float32Array.of(0.1) })),
});`;
const KEEPING = `import { appendFile } from 'node:fs/promises';
import { vectorJson } from 'chunksmith/toolkit';
export default () => ({
  open: async ({ options: { file } }) => ({
    upsert: async (chunks) => {
      const lines = chunks.map(({ embedding, fields }) => vectorJson(embedding) + fields.other + Object.prototype.toString.call(embedding) + '\\n');
      await appendFile(file, lines.join(''));
    },
    deleteMissing: async () => {},
    close: async () => {},
  }),
});`;

t.test('a sink and Parquet have the vectors of JSON Lines, bit for bit', async (t) => {
  const numbers = { type: 'array', items: { type: 'number' }, description: 'Numbers.' };
  const manifest = { fields: { embedding: numbers, other: numbers } };
  const pluginsDir = await Promise.all(
    [
      plugin({ kind: 'refinery', name: 'vectors', ...manifest }, VECTORS),
      plugin({ kind: 'sink', name: 'keeping', options }, KEEPING),
    ].map((files) => pluginsFolder(t, files)),
  );
  const server = await startJobServer(t, { 'in/a.txt': 'Tea is hot.', kept: '' }, { pluginsDir, workers: 1 });
  const file = join(server.root, 'kept');
  const steps = [
    { type: 'chunk', chunker: 'token', config: { chunk_size: 4 } },
    { type: 'refine', refinery: 'vectors' },
  ];
  const run = (target: object) => runJob(server, { source: { path: 'in' }, steps, target });
  await run({ path: 'lines' });
  await run({ path: 'parquet', format: 'parquet' });
  await run({ sink: { name: 'keeping', file } });

  const lines = (await readFile(join(server.root, 'lines/part-000000.jsonl'), 'utf8'))
    .split('\n')
    .slice(0, -1);
  const written = lines.map((line) => /(?<="embedding":)\[.*?\]/.exec(line)?.[0]);
  t.same(written.slice(0, 1), ['[0.1,-1e-7,1.3333334]']);
  const kept = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  t.same(
    kept,
    written.map((vector) => `${vector}0.1[object Float32Array]`),
  );
  const parquet = await asyncBufferFromFile(join(server.root, 'parquet/part-000000.parquet'));
  const rows = await parquetReadObjects({ file: parquet });
  const vectors = written.map((vector) => Array.from(Float32Array.from(JSON.parse(vector ?? ''))));
  t.same(
    rows.map(({ embedding }) => embedding),
    vectors,
  );
});
