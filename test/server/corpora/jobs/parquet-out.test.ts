import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import t, { type Test } from 'tap';
import { ParquetPart } from '../../../../server/corpora/jobs/part-files.ts';
import { createLocalFolder } from '../../../../server/corpora/storage/local/folder.ts';
import { JOBS, runJob, startJobServer } from '../../../support/jobs.ts';
import { checkProblem } from '../../../support/problems.ts';
import { createRandom } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { BY_CHARACTERS } from '../../cli/cli.ts';
import { checkFailures, runHere } from '../../cli/command.ts';

/** Part files of Parquet. */

const ODD = ['', ' ', 'a\nb\r\n', '\0', '"\\', '👩‍👩‍👧‍👦', '中文 텍스트', 'x'.repeat(70_000)];
const lineOf = (chunk: object) => Buffer.from(`${JSON.stringify(chunk)}\n`);

/** Writes lines, some at a time, and returns the file. */
async function write(t: Test, lines: readonly Buffer[], most = 3): Promise<string> {
  const root = await temporaryFolder(t, {});
  const part = new ParquetPart(await createLocalFolder(root).create('part.parquet'));
  const random = createRandom(lines.length + most);
  for (let at = 0; at < lines.length; ) {
    const end = at + 1 + Math.floor(random() * most);
    await part.write(Buffer.concat(lines.slice(at, end)));
    at = end;
  }
  const { name } = await part.finish();
  return join(root, name);
}

async function rowsOf(path: string) {
  const file = await asyncBufferFromFile(path);
  return parquetReadObjects({ file });
}

t.test('every row is its chunk: texts, places, vectors, metadata with all digits, the rest', async (t) => {
  const chunks = ODD.map((text, index) => ({
    ...{ text, start_index: index, end_index: index + text.length, token_count: 1, id: `i${index}` },
    ...(index % 2 === 0 && { document_id: `d${index}`, embedding: [0.5, -1.25, index] }),
    ...(index % 3 === 0 && { heading_path: ['a', 'ü'], lines: { start: 1 } }),
  }));
  const lines = chunks.map(lineOf);
  lines.push(Buffer.from('{"text":"n","metadata":{"n":123456789012345678901234567890,"f":1e400}}\n'));
  lines.push(
    lineOf({ text: 'b', embedding: Buffer.from(new Float32Array([1.5, 2]).buffer).toString('base64') }),
  );
  const rows = await rowsOf(await write(t, lines));
  for (const [index, { text, start_index, end_index, token_count, id, ...more }] of chunks.entries()) {
    const { document_id = null, embedding = null, ...fields } = more as Record<string, unknown>;
    const own = { id, document_id, text, start_index, end_index, token_count, metadata: null, embedding };
    t.same({ ...rows[index], fields: JSON.parse(rows[index]?.fields) }, { ...own, fields });
  }
  t.equal(rows.at(-2)?.metadata, '{"n":123456789012345678901234567890,"f":1e400}');
  t.same(rows.at(-1)?.embedding, [1.5, 2]);
});

t.test('groups of rows are bounded, and do not depend on how lines come', async (t) => {
  const lines = Array.from({ length: 600 }, (_, index) =>
    lineOf({ id: `${index}`, text: `${index} `.repeat(16_000) }),
  );
  const [one, other] = [await write(t, lines, 5), await write(t, lines, 60)];
  t.ok((await readFile(one)).equals(await readFile(other)));
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(one));
  t.ok(row_groups.length >= 2, `${row_groups.length}`);
  t.ok(row_groups.every(({ total_byte_size }) => total_byte_size < 2 ** 25));
  const ids = (await rowsOf(one)).map(({ id }) => id);
  const expected = lines.map((_, index) => `${index}`);
  t.same(ids, expected);
  t.same(await rowsOf(await write(t, [])), [], 'a part without chunks is a file, too');
});

t.test('a job writes Parquet where it is asked to, and its lines cannot be asked for', async (t) => {
  const server = await startJobServer(t, { 'in/a.txt': 'one', 'in/b.txt': 'two' });
  const target = { path: 'out', format: 'parquet' };
  const { id, chunks } = await runJob(server, {
    source: { path: 'in' },
    target,
    include: ['id', 'document_id'],
  });
  interface Manifest {
    readonly shards: readonly { readonly files: { readonly part: { readonly name: string } } }[];
  }
  const manifest = (await server.get(`${JOBS}/${id}/result`)).json<Manifest>();
  const names = manifest.shards.map(({ files }) => files.part.name);
  const areNumbered = names.every((name) => /^part-\d{6}\.parquet$/.test(name));
  t.ok(areNumbered, names.join());
  const rows = (await Promise.all(names.map((name) => rowsOf(join(server.root, 'out', name))))).flat();
  t.equal(rows.length, chunks);
  const texts = rows.map(({ document_id, text }) => `${document_id}: ${text}`);
  t.same(texts, ['in/a.txt: one', 'in/b.txt: two']);
  const asked = await server.send(`${JOBS}/${id}/result`, { headers: { accept: 'application/x-ndjson' } });
  checkProblem(t, asked, 400, /^accept: the parts of this job are Parquet/);
  for (const [more, problem] of [
    [{ target, group: 'document' }, /^target\.format: each Parquet row is a chunk/],
    [{ target: { format: 'avro' } }, /^target\.format: expected one of "jsonl", "parquet"/],
  ] as const) {
    const steps = [{ type: 'chunk', chunker: 'token' }];
    checkProblem(t, await server.post(JOBS, { source: { path: 'in' }, steps, ...more }), 400, problem);
  }
});

t.test('the command line writes what it reads again', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'b.txt': '👩‍👩‍👧‍👦é' });
  const run = (...args: string[]) => runHere(t, ['chunk', ...args], { cwd });
  const flags = [...BY_CHARACTERS(4), '--include', 'id'];
  t.equal((await run('.', ...flags, '--out', 'out', '--out-format', 'parquet')).status, 0);
  const texts = (await run('a.txt', 'b.txt', ...flags)).texts();
  const columns = '--text-field text --id-field id'.split(' ');
  const again = await run('out/part-000000.parquet', ...columns, ...BY_CHARACTERS(9));
  t.same(again.texts(), texts);
  await checkFailures(t, (...args) => run('a.txt', ...flags, ...args), [
    ['--out-format parquet', /name a folder with --out/],
    ['--out-format parquet --out x --group document', /each row is a chunk/],
    ['--out-format parquet --out x --since out', /not with --since/],
    ['--out-format csv --out x', /Allowed choices are jsonl, parquet/],
    ['--resume --out out', /has --out-format parquet, not jsonl/],
  ]);
});
