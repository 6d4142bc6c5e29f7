import t, { type Test } from 'tap';
import { type CliResult, runCli } from '../../support/cli.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const KEY = 'a-key-of-these-tests-that-is-long-enough';
const OPTIONS = { tokenizer: 'character', chunk_size: 4 };
const STEPS = [{ type: 'chunk', chunker: 'token', config: OPTIONS }];

/** Runs commands against a server. */
async function withServer(t: Test, files: Record<string, string>, config = {}) {
  const [cwd, dataDir] = [await temporaryFolder(t, files), await temporaryFolder(t)];
  const { url } = await startServer(t, { dataDir, apiKeys: KEY, ...config });
  const env = { CHUNKSMITH_SERVER: url, CHUNKSMITH_KEY: KEY };
  const run = (...args: string[]): Promise<CliResult> => runCli(t, args, { cwd, env });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { status, stdout, stderr } = await run(...args, '--json');
    t.equal(status, 0, stderr);
    return JSON.parse(stdout) as T;
  };
  return { cwd, url, run, json };
}

t.test('pipelines are stored, shown and deleted', async (t) => {
  const { run, json, cwd, url } = await withServer(t, {
    'p.json': JSON.stringify({ steps: STEPS, description: 'of four' }),
    'wrong.json': '{"steps": 1}',
    'broken.json': '{',
  });
  const { id } = await json<{ id: string }>('pipelines', 'put', 'four', 'p.json');
  t.match(await json('pipelines', 'list'), [{ id, name: 'four', description: 'of four' }]);
  t.match((await run('pipelines', 'list')).stdout, new RegExp(`^name +id .*\nfour +${id} +token `));
  for (const which of ['four', id]) t.match((await run('pipelines', 'show', which)).stdout, /"chunk_size":4/);
  t.equal(
    (await json<{ id: string }>('pipelines', 'put', 'four', 'p.json')).id,
    id,
    'put twice is there once',
  );
  t.match(await run('pipelines', 'put', 'five', 'wrong.json'), { status: 1, stderr: /steps: expected/ });
  t.match(await run('pipelines', 'put', 'five', 'broken.json'), {
    status: 2,
    stderr: /cannot be read as JSON/,
  });
  t.match(await run('pipelines', 'delete', 'four'), { status: 0, stdout: 'deleted four\n' });
  t.match(await run('pipelines', 'show', 'four'), { status: 2, stderr: /there is no pipeline/ });
  t.match(await run('pipelines', 'lst'), { status: 2, stderr: /Did you mean list/ });
  const keyless = await runCli(t, ['pipelines', 'list', '--server', url], { cwd });
  t.match(keyless, { status: 1, stderr: /CHUNKSMITH_KEY/ });
});

t.test('evaluate prints a row for each candidate', async (t) => {
  const { run, json } = await withServer(t, {
    'e.json': JSON.stringify({
      documents: [{ id: 'a', text: 'The cat sat on the mat. The dog ate the food.' }],
      questions: [
        { question: 'Who sat on the mat?', answers: [{ document: 'a', start_index: 0, end_index: 23 }] },
      ],
      candidates: [
        { name: 'small', chunker: 'token', config: { ...OPTIONS, chunk_size: 10 } },
        { name: 'large', chunker: 'token', config: { ...OPTIONS, chunk_size: 40 } },
      ],
    }),
  });
  const table = await run('evaluate', 'e.json');
  t.equal(table.status, 0, table.stderr);
  t.match(table.stdout, /^candidate .*\nsmall .*\d.*\nlarge .*\d/);
  t.match(await json('evaluate', 'e.json'), { candidates: [{ name: 'small' }, { name: 'large' }] });
});

interface Job {
  readonly id: string;
  readonly state: string;
}

t.test('jobs are begun, watched, read and deleted', async (t) => {
  const root = await temporaryFolder(t, {
    'in/a.txt': 'abcdef',
    'in/b.jsonl': '{"id":"b","text":"gh"}\nno JSON\n',
  });
  const body = { source: { path: 'in' }, steps: STEPS, target: { path: 'out' } };
  const { run, json } = await withServer(t, { 'job.json': JSON.stringify(body) }, { bulkRoot: root });
  const { id } = await json<Job>('jobs', 'create', 'job.json', '--key', 'once');
  t.equal((await json<Job>('jobs', 'create', 'job.json', '--key', 'once')).id, id, 'one key, one job');
  const watched = await run('jobs', 'watch', id);
  t.equal(watched.status, 0, watched.stderr);
  t.match(watched.stdout, /done, 100%, 2 documents, 1 failed, 3 chunks/);
  t.match(await json('jobs', 'show', id), { id, state: 'done' });
  t.match((await run('jobs', 'show', id)).stdout, /^id +.*\nstate +done\n/);
  t.match((await run('jobs', 'list')).stdout, new RegExp(`\n${id}  done `));
  const result = await run('jobs', 'result', id);
  t.same(
    result
      .lines()
      .map(({ text }) => text)
      .sort(),
    ['abcd', 'ef', 'gh'],
  );
  t.match((await run('jobs', 'errors', id)).lines(), [{ source: 'in/b.jsonl', status: 400 }]);
  t.match(await run('jobs', 'retry', id), { status: 1, stderr: /is done/ });
  t.match(await run('jobs', 'delete', id), { status: 0 });
  t.match(await run('jobs', 'show', id), { status: 1, stderr: /There is no job/ });
});
