import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t, { type Test } from 'tap';
import type { JobAnswer } from '../../../server/jobs/job-answer.ts';
import { createJob, type JobServer, jobOf, startJobServer } from '../../support/jobs.ts';
import { until } from '../../support/process.ts';

/** Sources that lie: their jobs fail at once and say why, and the server goes on. */

async function endOf(server: JobServer, path: string): Promise<JobAnswer> {
  const { id } = await createJob(server, { source: { path } });
  return until(async () => {
    const job = await jobOf(server, id);
    return job.finished_at !== null && job;
  });
}

/** Checks that the jobs of files fail for good, each with its reason. */
async function checkRefused(t: Test, files: Record<string, readonly [content: Uint8Array, reason: RegExp]>) {
  const server = await startJobServer(t, { 'good.jsonl': '{"text": "one"}\n' });
  for (const [name, [content, reason]] of Object.entries(files)) {
    await writeFile(join(server.root, name), content);
    const { state, error, documents } = await endOf(server, name);
    t.match({ state, error }, { state: 'failed', error: { status: 400, detail: reason } }, name);
    t.equal(documents.done, 0, name);
  }
  t.equal((await server.get('/health')).status, 200);
  t.match(await endOf(server, 'good.jsonl'), { state: 'done', documents: { done: 1 } });
}

t.test('compressed files from which too much comes are refused, and those that are none', async (t) => {
  const zeros = Buffer.alloc(200_000_000, '0');
  const lines = Buffer.from('{"text": "some words"}\n'.repeat(5000));
  await checkRefused(t, {
    'bomb.jsonl.gz': [gzipSync(zeros), /more than 104857600 bytes come out of its \d+/],
    'bomb.jsonl.zst': [zstdCompressSync(zeros), /more than 104857600 bytes come out of its \d+/],
    'none.jsonl.gz': [Buffer.from('no gzip'), /none\.jsonl\.gz cannot be read/],
    'cut.jsonl.gz': [gzipSync(lines).subarray(0, 60), /cut\.jsonl\.gz cannot be read/],
  });
});

t.test('tables of Parquet that lie are refused', async (t) => {
  const data = Array.from({ length: 500 }, (_, at) => `some text ${at}`);
  const written = parquetWriteBuffer({ columnData: [{ name: 'text', data, type: 'STRING' }] });
  const table = Buffer.from(written);
  const changed = (change: (bytes: Buffer) => unknown) => {
    const bytes = Buffer.from(table);
    change(bytes);
    return bytes;
  };
  const footer = table.length - 8;
  await checkRefused(t, {
    'cut.parquet': [table.subarray(0, table.length >> 1), /does not begin and end with PAR1/],
    'long.parquet': [changed((bytes) => bytes.writeUInt32LE(0x7fffffff, footer)), /longer than the file/],
    'short.parquet': [changed((bytes) => bytes.writeUInt32LE(3, footer)), /cannot be read/],
    'metadata.parquet': [changed((bytes) => bytes.fill(0xff, footer - 40, footer)), /cannot be read/],
    'pages.parquet': [changed((bytes) => bytes.fill(0xff, 4, 40)), /cannot be read/],
    'text.parquet': [Buffer.from('PAR1 no table PAR1'), /longer than the file/],
    'empty.parquet': [Buffer.alloc(0), /too short/],
  });
});
