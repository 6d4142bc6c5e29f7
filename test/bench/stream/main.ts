import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startOurs } from '../http/servers.ts';
import { median } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const ROUNDS = 5;
const DOCUMENTS = 10_000;
const BYTES = 2000;
const CHUNKERS = ['recursive', 'token'];
const WAYS = {
  single: 'one request each, 16 connections',
  batch: 'batches of 100, 16 connections',
  stream: 'one stream',
} as const;
type Way = keyof typeof WAYS;

interface Outcome {
  readonly seconds: number;
  readonly chunks: number;
}

printTitle(`${DOCUMENTS} documents of ${BYTES} bytes, sent in three ways by turns, character tokenizer`);
const server = await startOurs();
try {
  for (const chunker of CHUNKERS) compare(`${server.url}/v1/chunk/${chunker}`, chunker);
} finally {
  await server.stop();
}

function compare(url: string, chunker: string): void {
  const found: Record<Way, Outcome[]> = { single: [], batch: [], stream: [] };
  const ways = Object.keys(WAYS) as Way[];
  for (const way of ways) send(way, url);
  for (let round = 0; round < ROUNDS; round++) for (const way of ways) found[way].push(send(way, url));
  const speeds = ways.map((way) => median(found[way].map(({ seconds }) => DOCUMENTS / seconds)));
  const [base = 1] = speeds;
  const rows = ways.map((way, index) => {
    const speed = speeds[index] as number;
    const chunks = [...new Set(found[way].map(({ chunks }) => chunks))].join(' or ');
    return [WAYS[way], number(speed), number((speed * BYTES) / 1e6), chunks, `${number(speed / base)}x`];
  });
  printTable(chunker, ['', 'documents/s', 'MB/s', 'chunks', 'ratio'], rows);
  console.log('');
}

function send(way: Way, url: string): Outcome {
  const args = [join(import.meta.dirname, 'client.ts'), way, url, String(DOCUMENTS), String(BYTES)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e7 });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Outcome;
}
