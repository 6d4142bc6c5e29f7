import t, { type Test } from 'tap';
import { needs } from '../../support/here.ts';
import { chunker, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import type { CliResult } from './cli.ts';
import { checkFailures, runHere } from './command.ts';

const KEY = 'a-key-of-these-tests-that-is-long-enough';
const OPTIONS = { tokenizer: 'character', chunk_size: 4 };
const STEPS = [{ type: 'chunk', chunker: 'token', config: OPTIONS }];

/** Runs commands against a server. */
async function withServer(t: Test, files: Record<string, string>, config = {}) {
  const [cwd, dataDir] = [await temporaryFolder(t, files), await temporaryFolder(t)];
  const { url } = await startServer(t, { dataDir, apiKeys: KEY, ...config });
  const env = { CHUNKSMITH_SERVER: url, CHUNKSMITH_KEY: KEY };
  const run = (...args: string[]): Promise<CliResult> => runHere(t, args, { cwd, env });
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
  const again = await json<{ id: string }>('pipelines', 'put', 'four', 'p.json');
  t.equal(again.id, id, 'put twice is there once');
  await checkFailures(t, run, [
    ['pipelines put five wrong.json', /steps: expected/, 1],
    ['pipelines put five broken.json', /cannot be read as JSON/],
    ['pipelines lst', /Did you mean list/],
  ]);
  t.match(await run('pipelines', 'delete', 'four'), { status: 0, stdout: 'deleted four\n' });
  await checkFailures(t, run, [['pipelines show four', /no pipeline has/]]);
  const keyless = (...args: string[]) => runHere(t, args, { cwd });
  await checkFailures(t, keyless, [[`pipelines list --server ${url}`, /CHUNKSMITH_KEY/, 1]]);
});

t.test('jobs are begun, watched, read and deleted', async (t) => {
  const root = await temporaryFolder(t, {
    'in/a.txt': 'abcdef',
    'in/b.jsonl': '{"id":"b","text":"gh"}\nno JSON\n',
  });
  const body = { source: { path: 'in' }, steps: STEPS, target: { path: 'out' } };
  const { run, json } = await withServer(t, { 'job.json': JSON.stringify(body) }, { bulkRoot: root });
  const { id } = await json<{ id: string }>('jobs', 'create', 'job.json', '--key', 'once');
  const again = await json<{ id: string }>('jobs', 'create', 'job.json', '--key', 'once');
  t.equal(again.id, id, 'one key, one job');
  const watched = await run('jobs', 'watch', id);
  t.equal(watched.status, 0, watched.stderr);
  t.match(watched.stdout, /done, 100%, 2 documents, 1 failed, 3 chunks/);
  t.match(await json('jobs', 'show', id), { id, state: 'done' });
  t.match((await run('jobs', 'show', id)).stdout, /^id +.*\nstate +done\n/);
  t.match((await run('jobs', 'list')).stdout, new RegExp(`\n${id}  done `));
  const result = await run('jobs', 'result', id);
  t.same(result.texts().sort(), ['abcd', 'ef', 'gh']);
  t.match((await run('jobs', 'errors', id)).lines(), [{ source: 'in/b.jsonl', status: 400 }]);
  await checkFailures(t, run, [[`jobs retry ${id}`, /is done/, 1]]);
  t.match(await run('jobs', 'delete', id), { status: 0 });
  await checkFailures(t, run, [[`jobs show ${id}`, /There is no job/, 1]]);
});

const OF_PRESET = needs('chunker/recursive', 'refinery/context', 'tokenizer/tiktoken');

t.test('a job has the steps of a preset, with changes', OF_PRESET, async (t) => {
  const body = { source: { documents: [{ title: 'Tea', text: 'Boil water.' }] } };
  const files = { 'job.json': JSON.stringify(body), 'steps.json': JSON.stringify({ ...body, steps: STEPS }) };
  const { run, json } = await withServer(t, files, { bulkRoot: await temporaryFolder(t) });
  const flags = ['--preset', 'prose', '--without', 'embeddings'];
  const { id } = await json<{ id: string }>('jobs', 'create', 'job.json', ...flags);
  await run('jobs', 'watch', id);
  t.match((await run('jobs', 'result', id)).lines(), [{ context: 'Tea', embedding: null }]);
  await checkFailures(t, run, [
    [`jobs create steps.json ${flags.join(' ')}`, /preset: cannot be given together with steps/, 1],
    ['jobs create job.json --without embeddings', /^--without: changes a preset; name one with --preset/],
    ['jobs create job.json --preset pose', /preset: unknown preset "pose", did you mean "prose"/, 1],
  ]);
});

const cwd = await temporaryFolder(t);
const run = (...args: string[]) => runHere(t, args, { cwd });

t.test('models lists what requests can name', async (t) => {
  const { tokenizers } = JSON.parse((await run('models', '--json')).stdout);
  const character = tokenizers.find((one: { name: string }) => one.name === 'character');
  t.match(character, { available: true, missing: [] });
  const { stdout } = await run('models');
  t.match(stdout, /^EMBEDDING MODEL .*[\s\S]*\n\nTOKENIZER .*[\s\S]*\ncharacter +character\n/);
});

t.test('plugins lists what is here, with further folders', async (t) => {
  const folder = await temporaryFolder(t, {
    ...chunker('mine', WHOLE_TEXT, { version: '1.2.3', summary: 'Mine.' }),
    ...chunker('lacks', WHOLE_TEXT, { needs: { env: ['NOT_SET'] } }),
  });
  const listed = await run('plugins', '--plugins-dir', folder, '--json');
  const mine = JSON.parse(listed.stdout).find((one: { name: string }) => one.name === 'mine');
  t.match(mine, { kind: 'chunker', state: 'ready', version: '1.2.3', origin: 'folder' });
  const { stdout } = await run('plugins', '--plugins-dir', folder);
  t.match(stdout, /\nchunker\/mine +1\.2\.3 +ready +Mine\.\n/);
  t.match(stdout, /\nchunker\/lacks +unavailable +.*NOT_SET/);
});

t.test('shells complete commands and flags', async (t) => {
  t.match((await run('complete', 'bash')).stdout, /^# bash completion for chunksmith/);
  t.match((await run('complete', '--', 'pip')).stdout, /^pipelines\t/);
  t.match((await run('complete', '--', 'serve', '--request-t')).stdout, /^--request-timeout\t/);
});
