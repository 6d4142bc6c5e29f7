import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { JobAnswer } from '../../../server/corpora/jobs/answers.ts';
import { startMoto } from '../../server/corpora/s3/processes/moto.ts';
import { noServers } from '../../servers/servers.ts';
import { type SoakServer, startSoakServer } from '../../soak/server.ts';
import { JOBS, untilState } from '../../support/jobs.ts';
import type { Cleanup } from '../../support/server.ts';
import { compare, compareCheckouts } from '../corpus/compare.ts';
import { DOCUMENT, type FormatCorpora, writeFormats } from '../corpus/data.ts';
import { processorSeconds, type Run, UnknownWork, unlessUnknown } from '../corpus/processes.ts';
import { flags, scaled } from '../flags.ts';
import { printTitle } from '../race/report.ts';

const BYTES = scaled(64e6, 8e6);
const STEPS = [{ type: 'chunk', chunker: 'recursive' }];
/** How the service of somebody else is called in paths. */
const BUCKET = 's3://moto';

/** What a job reads and writes; by default part files of JSON Lines in a folder. */
interface Work {
  readonly name: string;
  readonly source: { readonly path: string; readonly format?: string };
  readonly target?: { readonly path?: string; readonly format?: string };
}

const SOURCES: readonly Work[] = [
  { name: 'JSON Lines', source: { path: 'docs.jsonl' } },
  { name: 'CSV', source: { path: 'docs.csv', format: 'csv' } },
  { name: 'Parquet', source: { path: 'docs.parquet' } },
];
const OF_BUCKETS = SOURCES.map(({ name, source }) => ({
  name: `${name} from S3`,
  source: { ...source, path: `${BUCKET}/${source.path}` },
}));
const LINES = { path: 'docs.jsonl' };
const TARGETS: readonly Work[] = [
  { name: 'JSON Lines into Parquet', source: LINES, target: { format: 'parquet' } },
];
const INTO_BUCKETS: readonly Work[] = [
  { name: 'JSON Lines into S3', source: LINES, target: { path: `${BUCKET}/out` } },
];

/** How long jobs take, by where their documents come from and where chunks go, here and in another checkout. */
export async function runThroughput(t: Cleanup, folder: string): Promise<void> {
  printTitle('Jobs by source and target, from their request to their end, recursive; MB of JSON Lines');
  const root = join(folder, 'formats');
  mkdirSync(root);
  const formats = writeFormats(root, 'docs', BYTES, DOCUMENT);
  if (noServers !== false) console.log(`No rows of S3: ${noServers}.`);
  const hasBuckets = noServers === false;
  const args = ['--bulk-root', root, '--workers', String(availableParallelism())];
  if (hasBuckets) args.push('--bulk-connections', await startBucket(t, folder, formats));
  const works = [...SOURCES, ...TARGETS, ...(hasBuckets ? [...OF_BUCKETS, ...INTO_BUCKETS] : [])];
  const start = (name: string, checkout?: string) =>
    startSoakServer(
      t,
      ['--data-dir', join(folder, name), ...args],
      checkout && join(checkout, 'server/main.ts'),
    );
  const { bytes } = formats.jsonl;
  const ours = await start('here');
  if (flags.against === undefined) {
    const ways = works.map((work) => ({ ...work, run: () => runWork(ours, work, bytes) }));
    return compare('a job', ways);
  }
  const theirs = await start('there', flags.against);
  const pairs = works.map((work) => ({
    name: work.name,
    here: () => runWork(ours, work, bytes),
    there: () => unlessUnknown(runWork(theirs, work, bytes)),
  }));
  await compareCheckouts(`here, and there: ${flags.against}`, pairs);
}

/** Puts documents into a bucket of a service that nobody here wrote, and gives the file that names it. */
async function startBucket(t: Cleanup, folder: string, formats: FormatCorpora): Promise<string> {
  const moto = await startMoto(t);
  const { put, connection } = await moto.open(t);
  for (const { path } of Object.values(formats)) await put(basename(path), readFileSync(path));
  const file = join(folder, 'connections.json');
  const keys = { access_key_id: 'any', secret_access_key: 'any' };
  const { bucket } = connection();
  writeFileSync(file, JSON.stringify({ moto: { endpoint: moto.origin, bucket, ...keys } }));
  return file;
}

let jobs = 0;

/** Does a job, and removes what it made. @throws UnknownWork */
async function runWork({ client, pid }: SoakServer, { source, target }: Work, bytes: number): Promise<Run> {
  const path = `${target?.path ?? 'out'}-${++jobs}`;
  const before = processorSeconds(pid);
  const answer = await client.post(JOBS, { source, steps: STEPS, target: { ...target, path } });
  if (answer.status === 400) throw new UnknownWork(String(answer.bytes));
  const { id } = answer.json<JobAnswer>();
  const job = await untilState(client, id, 'done');
  const seconds = (Date.parse(job.finished_at ?? '') - Date.parse(job.created_at)) / 1000;
  const cpu = processorSeconds(pid) - before;
  await client.send(`${JOBS}/${id}`, { method: 'DELETE' });
  if (job.documents.failed > 0) throw new Error(JSON.stringify(job));
  return { bytes, chunks: job.chunks, seconds, cpu };
}
