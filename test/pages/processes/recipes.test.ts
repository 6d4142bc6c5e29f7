import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { CLIENT, openPackages } from '../../servers/python.ts';
import { HOME, noServers } from '../../servers/servers.ts';
import { needs } from '../../support/here.ts';
import { startPostgres } from '../../support/postgres.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { setVariables } from '../../support/variables.ts';
import { page } from '../programs.ts';
import { followPage, without } from '../run-page.ts';

/** The first index and the recipes print what their pages say. */

const ROOT = join(import.meta.dirname, '../../..');
const noShell = without('curl', 'jq');
const OF_PRESET = needs('chunker/auto', 'chunker/markdown', 'refinery/context', 'refinery/embeddings').skip;

const psycopg = await openPackages('psycopg[binary]');
const noPgvector = OF_PRESET || needs('sink/pgvector').skip || noServers || psycopg.missing || noShell;

for (const file of ['server/FIRST-INDEX.md', 'server/recipes/pgvector-hybrid.md']) {
  t.test(file, { skip: noPgvector }, async (t) => {
    const PGVECTOR_URL = await (await startPostgres(t)).newDatabase();
    setVariables(t, { PGVECTOR_URL });
    const cwd = await temporaryFolder(t);
    const { url } = await startServer(t, { bulkRoot: cwd, workers: 1 });
    const commands = { psql: [...HOME.prefix, '/usr/lib/postgresql/17/bin/psql'] };
    await followPage(t, page(file), {
      ...{ cwd, url, commands },
      packages: [CLIENT, psycopg.folder],
      env: { PGVECTOR_URL },
    });
  });
}

const python = await openPackages();
const noPrograms = OF_PRESET || python.missing || noShell;
const OF_CODE = needs('chunker/code').skip || noPrograms;
const OF_PDF = needs('reader/pdf').skip || noPrograms;
const OF_TUNE = needs('chunker/recursive', 'chunker/sentence').skip || noPrograms;
const RECIPES = { 'code-base': OF_CODE, 'pdf-citations': OF_PDF, 'compare-settings': OF_TUNE };

for (const [name, skip] of Object.entries(RECIPES)) {
  t.test(name, { skip }, async (t) => {
    const cwd = await temporaryFolder(t, { 'paper.pdf': await readFile(join(ROOT, 'test/fixtures/pdf/odt.pdf')) });
    const { url } = await startServer(t, { workers: 1 });
    await followPage(t, page(`server/recipes/${name}.md`), { cwd, url, packages: [CLIENT, python.folder] });
  });
}
