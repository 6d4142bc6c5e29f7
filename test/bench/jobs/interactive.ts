import { link, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { JobAnswer } from '../../../server/jobs/job-answer.ts';
import type { Client } from '../../support/server.ts';
import { headOf, mainText } from '../data/texts.ts';
import { probe } from '../http/load.ts';
import { number, printTable } from '../race/report.ts';
import { writeDocuments } from './corpus.ts';
import { makeJob, start, waitFor, withCleanup } from './servers.ts';

const BYTES = 64_000_000;
/** Links to one file: a job that lasts longer than what is measured. */
const FILES = 12;
const SECONDS = 4;
const ROUNDS = 2;
const PAUSE_MS = 10;
const REQUEST = 2000;
/** Of the second one each request goes to a worker thread. */
const TOKENIZERS = ['character', 'cl100k_base'];
const STEPS = [{ type: 'chunk', chunker: 'recursive', config: { tokenizer: 'character' } }];

/** `/health` and small requests while a job uses all worker threads, against the same server without a job. */
export async function runInteractive(): Promise<void> {
  await withCleanup(async (t, folder) => {
    const root = join(folder, 'root');
    await mkdir(join(root, 'in'), { recursive: true });
    const first = join(root, 'first.jsonl');
    await writeDocuments(first, BYTES);
    for (let index = 0; index < FILES; index++) await link(first, join(root, 'in', `${index}.jsonl`));
    const flags = { 'data-dir': join(folder, 'data'), 'bulk-root': root, workers: availableParallelism() };
    const { client } = await start(t, flags);
    const rows: string[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rows.push(...(await measure(client, 'quiet')));
      const id = await makeJob(client, 'in', `out-${round}`, STEPS);
      await waitFor(client, id, ({ state }) => state === 'running');
      rows.push(...(await measure(client, 'job')));
      const job = (await client.get(`/v1/jobs/${id}`)).json<JobAnswer>();
      if (job.state !== 'running') console.log(`The job was over too early: ${job.state}.`);
      await client.post(`/v1/jobs/${id}/cancel`, '');
      await client.send(`/v1/jobs/${id}`, { method: 'DELETE' });
    }
    const header = ['', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'asked'];
    printTable(`${SECONDS} s each, ${availableParallelism()} worker threads`, header, rows);
  });
}

async function measure(client: Client, when: string): Promise<string[][]> {
  const rows: string[][] = [];
  const health = await probe(`${client.url}/health`, SECONDS);
  rows.push(rowOf(`${when}: /health`, health.times));
  for (const tokenizer of TOKENIZERS) {
    rows.push(rowOf(`${when}: 2 KB, token, ${tokenizer}`, await requests(client, tokenizer)));
  }
  return rows;
}

async function requests(client: Client, tokenizer: string): Promise<number[]> {
  const text = headOf(mainText(), REQUEST);
  const times: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const begin = performance.now();
    const { status } = await client.post('/v1/chunk/token', { text, tokenizer });
    if (status !== 200) throw new Error(`status ${status}`);
    times.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  return times.sort((a, b) => a - b);
}

function rowOf(name: string, times: readonly number[]): string[] {
  const quantile = (share: number) => number(times[Math.ceil(share * times.length) - 1] ?? Number.NaN);
  return [name, ...[0.5, 0.95, 0.99, 1].map(quantile), String(times.length)];
}
