import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import type { Cleanup } from '../../support/server.ts';
import { median } from '../race/race.ts';
import { number, printTable } from '../race/report.ts';
import { writeDocuments } from './corpus.ts';
import { makeJob, start, stop, waitFor, withCleanup } from './servers.ts';

const BYTES = 256_000_000;
const SHARD = 8_000_000;
const ROUNDS = 3;
const WARM_UP = 4_000_000;
const STEPS = [{ type: 'chunk', chunker: 'recursive', config: { tokenizer: 'character' } }];

/**
 * One worker with one thread against two, each a process with a data folder and a core of its own, on one PostgreSQL, which
 * has no core to itself, and neither has the server that is asked.
 */
export async function runMachines(): Promise<void> {
  if (noPostgres !== false) return console.log(`machines: left out, ${noPostgres}`);
  await withCleanup(async (t, folder) => {
    const root = join(folder, 'root');
    await mkdir(root);
    await writeDocuments(join(root, 'warm.jsonl'), WARM_UP);
    const bytes = await writeDocuments(join(root, 'in.jsonl'), BYTES);
    const server = await startPostgres(t);
    const rows: string[][] = [];
    for (const queue of ['lease', 'pg-boss']) {
      const url = server.freshUrl();
      const ways = [{ name: queue, url }];
      // The database is created by way of the direct one.
      if (noPgBouncer === false)
        ways.push({ name: `${queue}, pgbouncer`, url: await startPgBouncer(t, url) });
      for (const way of ways) rows.push(await compare(t, folder, way, queue, bytes));
    }
    printTable(
      `${BYTES / 1e6} MB of JSON Lines, MB/s`,
      ['', '1 worker', '2 workers', 'ratio', 'ratios'],
      rows,
    );
  });
}

async function compare(
  t: Cleanup,
  folder: string,
  { name, url }: { name: string; url: string },
  queue: string,
  bytes: number,
): Promise<string[]> {
  const root = join(folder, 'root');
  const common = { 'bulk-root': root, 'bulk-queue': queue, 'bulk-shard-bytes': SHARD };
  const own = (index: number) => ({ ...common, 'data-dir': join(folder, `data-${index}`) });
  const api = await start(t, { ...own(0), role: 'api', workers: 1 }, url);
  const seconds: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const count of [1, 2] as const) {
      const workers = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          start(t, { ...own(index + 1), role: 'worker', workers: 1, 'bulk-concurrency': 1 }, url),
        ),
      );
      workers.forEach(({ process }, core) => {
        pin(process.child.pid as number, core);
      });
      await run(api.client, 'warm.jsonl');
      seconds[count - 1]?.push(await run(api.client, 'in.jsonl'));
      await Promise.all(workers.map(stop));
    }
  }
  await stop(api);
  const speeds = seconds.map((times) => bytes / 1e6 / median(times));
  const ratios = seconds[0].map((time, round) => time / (seconds[1][round] as number));
  return [name, ...speeds.map(number), number(median(ratios)), ratios.map(number).join(' ')];
}

/** Keeps a process on one core, so that it is a machine of one core. */
function pin(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
    stdio: 'ignore',
  });
}

let targets = 0;

async function run(client: Parameters<typeof makeJob>[0], path: string): Promise<number> {
  const id = await makeJob(client, path, `out-${targets++}`, STEPS);
  const seconds = await waitFor(client, id, ({ state }) => state === 'done');
  await client.send(`/v1/jobs/${id}`, { method: 'DELETE' });
  return seconds;
}
