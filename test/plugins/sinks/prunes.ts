import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SinkStandIn } from 'chunksmith/testing';
import type { Test } from 'tap';
import { needs } from '../../support/here.ts';
import { runJob, startJobServer } from '../../support/jobs.ts';
import { setVariables } from '../../support/variables.ts';

const steps = [
  { type: 'chunk', chunker: 'token', config: { chunk_size: 4 } },
  { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'chunksmith/static-en-256' } },
];

/** Holds that jobs with `prune` delete documents that are gone, and no others. @param databaseUrl where jobs are kept */
export function prunes(t: Test, name: string, store: SinkStandIn, databaseUrl = ''): Promise<unknown> {
  const needed = needs('refinery/embeddings', 'embedding/static');
  return t.test('documents that are gone from their source are pruned', needed, async (t) => {
    setVariables(t, store.env);
    const lines = Array.from({ length: 52 }, (_, id) => `{"id": ${id}, "text": "tea"}\n`);
    const files = { 'kb/a.md': 'green tea', 'kb/b.md': 'black tea', 'x.jsonl': lines.join('') };
    const server = await startJobServer(t, files, { workers: 1, databaseUrl });
    const target = { sink: { name, ...store.options('pruned') } };
    const run = (path: string, more: object = { prune: true }) =>
      runJob(server, { source: { path }, target, steps, ...more });
    const stored = async () =>
      [...new Set((await store.chunks('pruned')).map((chunk) => chunk.document_id))].sort();
    await Promise.all([run('kb', {}), run('x.jsonl')]);
    t.equal((await stored()).length, 54);
    await rm(join(server.root, 'kb/a.md'));
    await writeFile(join(server.root, 'x.jsonl'), lines.slice(0, 2).join(''));
    t.match(await run('kb', {}), { pruned: 0 }, 'unless it is asked for');
    t.match(await run('kb'), { pruned: 1 });
    t.match(await run('x.jsonl'), { pruned: 50 });
    t.same(await stored(), ['0', '1', 'kb/b.md'], 'nothing of another source');
  });
}
