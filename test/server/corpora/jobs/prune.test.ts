import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { createJob, JOBS, outputOf, runJob, startJobServer, untilState } from '../../../support/jobs.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';

/** Sinks forget what is gone, also with faults; that each sink removes documents is in the contract of sinks. */

const options = { type: 'object', properties: { folder: { type: 'string', description: 'A folder.' } } };

/** Has a file for each document that is stored; refuses once, alone, the one whose id is in its file `.refused`. */
const FOLDER = `import { appendFile, readFile, rm } from 'node:fs/promises';
import { exposedError } from 'chunksmith/kit';
export default () => {
  const fileOf = (folder, id) => folder + '/' + encodeURIComponent(id);
  const check = async (folder, ids) => {
    const refused = await readFile(folder + '/.refused', 'utf8').catch(() => '');
    if (!ids.includes(refused)) return;
    if (ids.length === 1) await rm(folder + '/.refused');
    throw exposedError('it refuses ' + refused);
  };
  return {
    open: async ({ options: { folder } }) => ({
      async upsert(chunks) {
        await check(folder, chunks.map((chunk) => chunk.document_id));
        for (const chunk of chunks) await appendFile(fileOf(folder, chunk.document_id), '.');
      },
      async deleteMissing(id, kept) {
        if (kept.length === 0) await rm(fileOf(folder, id), { force: true });
      },
      close: async () => {},
    }),
    async removeDocuments(ids, { folder }) {
      await check(folder, ids);
      for (const id of ids) await rm(fileOf(folder, id), { force: true });
    },
  };
};
`;

async function start(t: Test, files: Record<string, string>, config: object = {}) {
  const pluginsDir = [await pluginsFolder(t, plugin({ kind: 'sink', name: 'folder', options }, FOLDER))];
  const server = await startJobServer(t, files, { pluginsDir, ...config });
  const folder = join(server.root, 'stored');
  await mkdir(folder);
  const target = { sink: { name: 'folder', folder } };
  const request = (path: string, more: object = {}) => ({ source: { path }, target, prune: true, ...more });
  return {
    server,
    request,
    run: (path: string, more?: object) => runJob(server, request(path, more)),
    stored: async () =>
      (await readdir(folder))
        .filter((name) => name !== '.refused')
        .map(decodeURIComponent)
        .sort(),
    write: (name: string, text: string | Buffer) => writeFile(join(server.root, name), text),
    remove: (name: string) => rm(join(server.root, name)),
    refuse: (id: string) => writeFile(join(folder, '.refused'), id),
  };
}

const linesOf = (...ids: readonly string[]) =>
  ids.map((id) => `{"id":${JSON.stringify(id)},"text":"one"}\n`).join('');
const SMALL = { maxBodyBytes: 2000 };
const LONG = 'long '.repeat(1000);
const KB = { 'kb/a.md': 'one', 'kb/b.md': 'two' };

t.test('what only the last job had is deleted and counted, if that is asked for', async (t) => {
  const { server, run, stored, remove } = await start(t, { ...KB, 'kb/c.md': 'three' });
  const first = await run('kb', { prune: undefined });
  t.match(first, { pruned: 0, unpruned: 0 });
  await server.send(`${JOBS}/${first.id}`, { method: 'DELETE' });
  await remove('kb/a.md');
  t.match(await run('kb', { prune: false }), { pruned: 0 });
  t.same(await stored(), ['kb/a.md', 'kb/b.md', 'kb/c.md']);
  const job = await run('kb/');
  t.match(job, { pruned: 1, unpruned: 0, documents: { done: 2, failed: 0 } });
  t.same(await stored(), ['kb/b.md', 'kb/c.md'], 'though the job that stored it was deleted');
  const manifest = await server.get(`${JOBS}/${job.id}/result`);
  t.match(manifest.json(), { counts: { documents: 2, pruned: 1, unpruned: 0 } });
  const [event] = await outputOf(server, job.id, 'events');
  t.match(event, { state: 'done', pruned: 1 });
  t.match(await run('kb'), { pruned: 0 }, 'once');
});

t.test('nothing is deleted that another source has, or an unlike one', async (t) => {
  const { run, stored, write, remove } = await start(t, {
    ...KB,
    'x.jsonl': linesOf('kb/a.md', 'x'),
  });
  await run('kb');
  await run('x.jsonl', { prune: undefined });
  await run('', { source: { documents: [{ id: 'kb/b.md', text: 'one' }] }, prune: undefined });
  await remove('kb/a.md');
  t.match(await run('kb'), { pruned: 0 });
  t.same(await stored(), ['kb/a.md', 'kb/b.md', 'x']);
  await write('x.jsonl', linesOf('y'));
  const other = await run('x.jsonl', { source: { path: 'x.jsonl', format: 'jsonl' } });
  t.match(other, { pruned: 0 }, 'another format');
  t.match(await run('x.jsonl'), { pruned: 2 });
  t.same(await stored(), ['kb/b.md', 'y'], 'which nobody has any more');
});

t.test('what has failed or was skipped is not gone', async (t) => {
  const { run, stored, write, remove } = await start(t, { ...KB, 'kb/c.md': '3', 'kb/d': '4' }, SMALL);
  await run('kb');
  await write('kb/a.md', LONG);
  await write('kb/d', '\u0000\u0001');
  await remove('kb/c.md');
  t.match(await run('kb'), { pruned: 1, documents: { done: 1, failed: 1 } });
  t.same(await stored(), ['kb/a.md', 'kb/b.md', 'kb/d']);
});

t.test('a line without a readable id may be any document: nothing is deleted, and it counts', async (t) => {
  const { run, stored, write } = await start(t, {
    'x.jsonl': linesOf('a', 'b', '\u0000', 'é'.repeat(20)),
  });
  await run('x.jsonl');
  await write('x.jsonl', `${linesOf('a')}{"id":"b","text"\n`);
  t.match(await run('x.jsonl'), { pruned: 0, unpruned: 3, documents: { done: 1, failed: 1 } });
  t.equal((await stored()).length, 4);
  await write('x.jsonl', `${linesOf('a')}{"id":"b","txt":5}\n`);
  t.match(await run('x.jsonl'), { pruned: 2, unpruned: 0 }, 'an id that can be read is enough');
  t.same(await stored(), ['a', 'b']);
});

t.test('a file that is damaged may have any document: nothing of it is deleted', async (t) => {
  const { run, stored, write } = await start(t, { 'in/x.jsonl': linesOf('a'), 'in/y.jsonl.gz': '' });
  await write('in/y.jsonl.gz', gzipSync(linesOf('b', 'c')));
  await run('in');
  await write('in/y.jsonl.gz', 'no gzip');
  t.match(await run('in'), { pruned: 0, unpruned: 2, documents: { done: 1, failed: 1 } });
  t.same(await stored(), ['a', 'b', 'c']);
});

t.test('of documents with the same id one is stored; the others fail as a whole', async (t) => {
  const files = { 'in/x.jsonl': linesOf('a', 'b', 'a'), 'in/y.jsonl': linesOf('b', 'c') };
  const { server, run, stored } = await start(t, files);
  for (const prune of [false, true]) {
    const job = await run('in', { prune });
    t.match(job, { pruned: 0, documents: { done: 3, failed: 2 }, chunks: 3 });
    const problems = (await outputOf(server, job.id, 'errors')).map(({ detail }) => detail).sort();
    const taken = (id: string) =>
      `another document of this job has the id "${id}", and a sink keeps only one; give each its own id`;
    t.same(problems, [taken('a'), taken('b')]);
    t.same(await stored(), ['a', 'b', 'c']);
  }
});

t.test('a job that fails prunes nothing until it is done', async (t) => {
  const files = { ...KB, 'kb/c.md': '3' };
  const { server, request, run, stored, write, remove } = await start(t, files, SMALL);
  await run('kb');
  await remove('kb/a.md');
  await write('kb/b.md', LONG);
  const { id } = await createJob(server, request('kb', { max_errors: 0 }));
  t.match(await untilState(server, id, 'failed'), { pruned: 0 });
  t.same(await stored(), ['kb/a.md', 'kb/b.md', 'kb/c.md']);
  await server.post(`${JOBS}/${id}/retry`, {});
  t.match(await untilState(server, id, 'done'), { pruned: 1 });
  t.same(await stored(), ['kb/b.md', 'kb/c.md']);
});

t.test('pruning that is interrupted goes on, and counts each document once', async (t) => {
  const ids = Array.from({ length: 1100 }, (_, index) => `d${index}`);
  const { run, stored, write, refuse } = await start(t, { 'x.jsonl': linesOf(...ids) });
  await run('x.jsonl');
  await write('x.jsonl', linesOf('d0'));
  await refuse('d500');
  t.match(await run('x.jsonl'), { pruned: 1099 });
  t.same(await stored(), ['d0']);
});

t.test('prune without a sink, or of documents that come along, is a 400 that says why', async (t) => {
  const { server, request } = await start(t, KB);
  const post = (body: object) => server.post(JOBS, { steps: [{ type: 'chunk', chunker: 'token' }], ...body });
  const source = { documents: [{ id: 'a', text: 'one' }] };
  for (const [body, problem] of [
    [request('kb', { target: undefined }), /^prune: has no effect without target\.sink/],
    [request('', { source }), /^prune: documents in a request have no earlier job/],
    [request('kb', { prune: 1 }), /^prune: expected true or false, got 1/],
  ] as const)
    checkProblem(t, await post(body), 400, problem);
});
