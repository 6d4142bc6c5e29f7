import { link, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startSoakServer } from '../../soak/server.ts';
import { createJob, jobOf, untilState } from '../../support/jobs.ts';
import type { Cleanup, Client } from '../../support/server.ts';
import { DOCUMENT, writeLines } from '../corpus/data.ts';
import { headOf, mainText } from '../data/texts.ts';
import { flags, scaled } from '../flags.ts';
import { probe } from '../http/load.ts';
import { number, printTable } from '../race/report.ts';
import { quantile } from '../race/statistics.ts';
import { withCleanup } from '../race/temporary.ts';
import { runThroughput } from './throughput.ts';

const BYTES = 64_000_000;
/** Links to one file: a job that lasts longer than what is measured. */
const FILES = 24;
const SECONDS = scaled(4, 1);
const ROUNDS = scaled(2, 1);
const EVERY_MS = 20;
const REQUEST = 2000;
/** Of the second one each request goes to a worker thread. */
const TOKENIZERS = ['character', 'cl100k_base'];

const STEPS = [{ type: 'chunk', chunker: 'recursive', config: { tokenizer: 'character' } }];

await withCleanup(async (t, folder) => {
  if (flags.against === undefined) await runRequests(t, folder);
  await runThroughput(t, folder);
});

/** `/health` and small requests while a job uses all worker threads, against the same server without a job. */
async function runRequests(t: Cleanup, folder: string): Promise<void> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'in'), { recursive: true });
  const first = join(root, 'first.jsonl');
  writeLines(first, BYTES, DOCUMENT);
  for (let index = 0; index < FILES; index++) await link(first, join(root, 'in', `${index}.jsonl`));
  const folders = ['--data-dir', join(folder, 'data'), '--bulk-root', root];
  const workers = ['--workers', String(availableParallelism())];
  const { client, stop } = await startSoakServer(t, [...folders, ...workers]);
  const rows: string[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rows.push(...(await measure(client, 'quiet')));
    const request = { source: { path: 'in' }, steps: STEPS, target: { path: `out-${round}` } };
    const { id } = await createJob(client, request);
    await untilState(client, id, 'running');
    rows.push(...(await measure(client, 'job')));
    const { state } = await jobOf(client, id);
    if (state !== 'running') console.log(`The job was over too early: ${state}.`);
    await client.post(`/v1/jobs/${id}/cancel`, '');
    await client.send(`/v1/jobs/${id}`, { method: 'DELETE' });
  }
  const header = ['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'asked'];
  printTable(`${SECONDS} s each, ${availableParallelism()} worker threads`, header, rows);
  await stop();
}

async function measure(client: Client, when: string): Promise<string[][]> {
  const rows = [rowOf(`${when}: /health`, await probe(() => client.get('/health'), SECONDS))];
  const text = headOf(mainText(), REQUEST);
  for (const tokenizer of TOKENIZERS) {
    const times = await probe(() => client.chunk('token', { text, tokenizer }), SECONDS, EVERY_MS);
    rows.push(rowOf(`${when}: 2 KB, token, ${tokenizer}`, times));
  }
  return rows;
}

function rowOf(name: string, times: readonly number[]): string[] {
  return [name, ...[0.5, 0.95, 0.99, 1].map((share) => number(quantile(times, share))), String(times.length)];
}
