import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import type { Client } from '../../support/server.ts';
import { probe } from '../http/load.ts';
import { number, printTable } from '../race/report.ts';
import { writeDocuments } from './corpus.ts';
import { makeJob, start, waitFor, withCleanup } from './servers.ts';

const SHARDS = 65_000;
const BYTES = 6_500_000;
const PAGE = 100;
const STEPS = [{ type: 'chunk', chunker: 'recursive', config: { tokenizer: 'character' } }];

/** A job of 65,000 shards: how long its plan takes, and what else has to wait for it. */
export async function runPlan(): Promise<void> {
  const rows: string[][] = [];
  for (const queue of ['SQLite', 'lease', 'pg-boss']) {
    if (queue === 'SQLite' || noPostgres === false) rows.push(await plan(queue));
  }
  printTable(
    `${SHARDS} shards`,
    [
      '',
      'planned s',
      'idle /health p99 ms',
      'p99 meanwhile',
      'max',
      `page of ${PAGE}, ms`,
      'p99',
      'memory of listing all again, MB',
    ],
    rows,
  );
}

const plan = (queue: string): Promise<string[]> =>
  withCleanup(async (t, folder) => {
    const root = join(folder, 'root');
    await mkdir(root);
    const size = await writeDocuments(join(root, 'in.jsonl'), BYTES);
    const url = queue === 'SQLite' ? '' : (await startPostgres(t)).freshUrl();
    const flags = {
      'data-dir': join(folder, 'data'),
      'bulk-root': root,
      'bulk-queue': queue === 'SQLite' ? 'lease' : queue,
      'bulk-shard-bytes': Math.floor(size / SHARDS),
      workers: 1,
    };
    const { client, process } = await start(t, flags, url);
    const idle = await probe(`${client.url}/health`, 4);
    const id = await makeJob(client, 'in.jsonl', 'out', STEPS);
    const [seconds, health] = await Promise.all([
      waitFor(client, id, ({ state }) => state !== 'planning'),
      probe(`${client.url}/health`, 8),
    ]);
    await client.post(`/v1/jobs/${id}/cancel`, '');
    await listAll(client, id);
    const before = residentMegabytes(process.child.pid as number);
    const times = await listAll(client, id);
    const grown = residentMegabytes(process.child.pid as number) - before;
    const [quiet, busy] = [idle, health].map((one) => quantile(one.times, 0.99));
    const pages = [quantile(times, 0.5), quantile(times, 0.99)];
    const figures = [seconds, quiet ?? 0, busy ?? 0, quantile(health.times, 1), ...pages, grown];
    return [queue, ...figures.map(number)];
  });

/** Lists all shards. @returns milliseconds of each page */
async function listAll(client: Client, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let cursor = ''; ; ) {
    const begin = performance.now();
    const answer = await client.get(`/v1/jobs/${id}/shards?limit=${PAGE}${cursor}`);
    times.push(performance.now() - begin);
    const next = answer.headers.get('x-next-cursor');
    if (next === null) return times;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? Number.NaN;

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
