import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SinkStandIn } from '../../../../server/testing/contracts/sink/stand-in.ts';
import startElasticsearch from '../../../plugins/sinks/elasticsearch/stand-in.ts';
import { sinkDatabase } from '../../../plugins/sinks/pgvector/database.ts';
import startQdrant from '../../../plugins/sinks/qdrant/stand-in.ts';
import { startChroma } from '../../../servers/chroma.ts';
import { noServers } from '../../../servers/servers.ts';
import { runJob, startJobServer } from '../../../support/jobs.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { setVariables } from '../../../support/variables.ts';

/** Sinks forget what is gone: real stores, and what stands in for those that cannot run here; jobs on PostgreSQL and SQLite. */

const skip = { skip: noServers };
const steps = [
  { type: 'chunk', chunker: 'token', config: { chunk_size: 4 } },
  { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'chunksmith/static-en-256' } },
];

async function prunes(t: Test, name: string, store: SinkStandIn, databaseUrl = ''): Promise<void> {
  t.teardown(() => store.stop());
  setVariables(t, store.env);
  const lines = Array.from({ length: 502 }, (_, id) => `{"id": ${id}, "text": "tea"}\n`);
  const files = { 'kb/a.md': 'green tea', 'kb/b.md': 'black tea', 'x.jsonl': lines.join('') };
  const server = await startJobServer(t, files, { workers: 1, databaseUrl });
  const target = { sink: { name, ...store.options('pruned') } };
  const run = (path: string, more: object = { prune: true }) =>
    runJob(server, { source: { path }, target, steps, ...more });
  const stored = async () =>
    [...new Set((await store.chunks('pruned')).map((chunk) => chunk.document_id))].sort();
  await Promise.all([run('kb', {}), run('x.jsonl')]);
  t.equal((await stored()).length, 504);
  await rm(join(server.root, 'kb/a.md'));
  await writeFile(join(server.root, 'x.jsonl'), lines.slice(0, 2).join(''));
  t.match(await run('kb', {}), { pruned: 0 }, 'unless it is asked for');
  t.match(await run('kb'), { pruned: 1 });
  t.match(await run('x.jsonl'), { pruned: 500 });
  t.same(await stored(), ['0', '1', 'kb/b.md'], 'nothing of another source');
}

t.test('pgvector and jobs on PostgreSQL', skip, async (t) => {
  const postgres = await startPostgres(t);
  const url = postgres.freshUrl().replace(/[^/]+$/, 'postgres');
  await prunes(t, 'pgvector', sinkDatabase(url, 'vector'), url);
});

t.test('Chroma', skip, async (t) => prunes(t, 'chroma', await startChroma(t)));
t.test('Qdrant', async (t) => prunes(t, 'qdrant', await startQdrant()));
t.test('Elasticsearch', async (t) => prunes(t, 'elasticsearch', await startElasticsearch()));
