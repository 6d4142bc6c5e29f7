import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startMoto } from '../../server/corpora/s3/processes/moto.ts';
import { CLIENT, openPackages, PYTHON } from '../../servers/python.ts';
import { HOME, noServers } from '../../servers/servers.ts';
import { needs } from '../../support/here.ts';
import { startPostgres } from '../../support/postgres.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';
import { setVariables } from '../../support/variables.ts';
import { blocksOf, page } from '../programs.ts';
import { followPage, sh, without } from '../run-page.ts';

/** The first index and the recipes print what their pages say. */

const ROOT = join(import.meta.dirname, '../../..');
const noShell = without('curl', 'jq');
const OF_PRESET = needs('chunker/auto', 'chunker/markdown', 'refinery/context', 'refinery/embeddings').skip;

const psycopg = await openPackages('psycopg[binary]');
const noPgvector = OF_PRESET || needs('sink/pgvector').skip || noServers || psycopg.missing || noShell;

t.test('FIRST-INDEX', { skip: noPgvector }, async (t) => {
  const PGVECTOR_URL = await (await startPostgres(t)).newDatabase();
  setVariables(t, { PGVECTOR_URL });
  const cwd = await temporaryFolder(t);
  const { url } = await startServer(t, { bulkRoot: cwd, workers: 1 });
  const commands = { psql: [...HOME.prefix, '/usr/lib/postgresql/17/bin/psql'] };
  await followPage(t, page('server/FIRST-INDEX.md'), {
    ...{ cwd, url, commands },
    packages: [CLIENT, psycopg.folder],
    env: { PGVECTOR_URL },
  });
});

const python = await openPackages();
const noPrograms = OF_PRESET || python.missing || noShell;
const OF_CODE = needs('chunker/code').skip || noPrograms;
const OF_PDF = needs('reader/pdf').skip || noPrograms;
const OF_TUNE = needs('chunker/recursive', 'chunker/sentence').skip || noPrograms;
const RECIPES = { 'code-base': OF_CODE, 'pdf-citations': OF_PDF, 'compare-settings': OF_TUNE };

for (const [name, skip] of Object.entries(RECIPES)) {
  t.test(name, { skip }, async (t) => {
    const cwd = await temporaryFolder(t, {
      'paper.pdf': readFileSync(join(ROOT, 'test/fixtures/pdf/odt.pdf')),
    });
    const { url } = await startServer(t, { workers: 1 });
    await followPage(t, page(`server/recipes/${name}.md`), { cwd, url, packages: [CLIENT, python.folder] });
  });
}

const ray = await openPackages('ray[data]');
t.test('ray', { skip: OF_PRESET || noServers || ray.missing }, async (t) => {
  const { origin } = await startMoto(t);
  const cwd = await temporaryFolder(t);
  const { url } = await startServer(t, { workers: 2 });
  const packages = [CLIENT, ray.folder];
  const env = {
    ...{
      S3_ENDPOINT: origin,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
    ...{ RAY_USAGE_STATS_ENABLED: '0', RAY_TMPDIR: await shortFolder(t) },
  };
  await sh(`${PYTHON} -c '${ARTICLES}'`, { cwd, packages, env });
  await followPage(t, page('server/recipes/ray.md'), { cwd, url, packages, env });
});

/** A folder for sockets, whose paths may have 107 bytes. */
async function shortFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ray-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts the documents of the page into the bucket. */
const ARTICLES = `
import os, pyarrow, pyarrow.fs, pyarrow.parquet
rows = [{"id": str(n), "text": f"# Article {n}" if n else None} for n in range(2000)]
bucket = pyarrow.fs.S3FileSystem(endpoint_override=os.environ["S3_ENDPOINT"], allow_bucket_creation=True)
bucket.create_dir("docs")
for part in (0, 1):
    table = pyarrow.Table.from_pylist(rows[part::2])
    pyarrow.parquet.write_table(table, f"docs/articles/{part}.parquet", filesystem=bucket)
`;

const OF_IMAGE = needs('chunker/recursive', 'chunker/token', 'tokenizer/character').skip;
t.test('own-plugin', { skip: OF_IMAGE }, async (t) => {
  const cwd = await temporaryFolder(t);
  const parts = [
    'core',
    'plugins',
    'server',
    'package.json',
    'package-lock.json',
    '.npmrc',
    'Dockerfile',
    '.dockerignore',
    'test/tools',
  ];
  for (const part of [...parts, 'tsconfig.json', 'LICENSE'])
    cpSync(join(ROOT, part), join(cwd, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  const [own = '', trimmed = ''] = page('server/recipes/own-plugin.md').split('**The same without Docker**');
  const commands = { npm: ['npm'] };
  await followPage(t, own, { cwd, commands });
  const noDocker = spawnSync('docker', ['info']).status !== 0 && 'no Docker engine is running';
  await t.test('the image is built', { skip: noDocker }, async () => {
    const [build = ''] = blocksOf(own, 'sh').join('').split('\n');
    await sh(build, { cwd });
  });
  await followPage(t, trimmed, { cwd, commands });
});

const OF_XARGS = needs('chunker/recursive').skip || without('curl', 'xargs');
t.test('xargs streams to two servers, and goes on where it stopped', { skip: OF_XARGS }, async (t) => {
  const [recipe = ''] = blocksOf(page('server/recipes/xargs.md'), 'sh');
  const names = ['a.jsonl', 'b c.jsonl', 'd.jsonl'];
  const files = names.map((name) => [`corpus/${name}`, lineOf(`in ${name}`)]);
  const cwd = await temporaryFolder(t, Object.fromEntries(files));
  const servers = [await startServer(t), await startServer(t)] as const;
  const run = (second: string) =>
    sh(recipe.replace('http://localhost:8000', servers[0].url).replace('http://localhost:8001', second), {
      cwd,
    });
  // The first server has every second file, beginning with the second. xargs exits with 123 if a command fails.
  await t.rejects(run('http://127.0.0.1:1'), { code: 123 });
  t.same(readdirSync(join(cwd, 'corpus')), [...names, 'b c.jsonl.chunks'].sort());
  t.equal(await run(servers[1].url), '');
  t.same(await Promise.all(servers.map(streamsOf)), [2, 1]);
  for (const name of names) {
    const [line = ''] = readFileSync(join(cwd, 'corpus', `${name}.chunks`), 'utf8').split('\n');
    t.equal(JSON.parse(line).chunks[0].text, `in ${name}`);
  }
});

const lineOf = (text: string): string => `${JSON.stringify({ id: text, text })}\n`;

async function streamsOf({ get }: Client): Promise<number> {
  const text = (await get('/metrics')).bytes.toString();
  const counts = [...text.matchAll(/^chunksmith_streams_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
