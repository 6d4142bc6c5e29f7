import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOurs } from '../http/servers.ts';
import { median } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const RUNS = 5;

interface Start {
  readonly health: number;
  readonly chunks: number;
  readonly megabytes: number;
}

/** Starts servers one after another; the first finds no code that an earlier start has compiled. */
async function run(): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), 'chunksmith-bench-'));
  try {
    const first = await start(cache);
    const later: Start[] = [];
    for (let run = 0; run < RUNS; run++) later.push(await start(cache));
    const rows = [
      rowOf('first start, nothing compiled yet', [first]),
      rowOf(`later starts, median of ${RUNS}`, later),
    ];
    printTable(
      'One server process with its defaults',
      ['', '/health ms', 'first chunks ms', 'resident MB'],
      rows,
    );
  } finally {
    rmSync(cache, { recursive: true });
  }
}

/** The time from the start of a process to its first answer and to its first chunks, and its memory. */
async function start(cache: string): Promise<Start> {
  const server = await startOurs({ NODE_COMPILE_CACHE: cache });
  try {
    const megabytes = residentMegabytes(server.pid);
    const begin = performance.now();
    const answer = await fetch(`${server.url}/v1/chunk/recursive`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'One sentence. Another one.' }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.json();
    return { health: server.startMs, chunks: server.startMs + performance.now() - begin, megabytes };
  } finally {
    await server.stop();
  }
}

function rowOf(name: string, starts: readonly Start[]): string[] {
  const middle = (member: keyof Start) => number(median(starts.map((start) => start[member])));
  return [name, middle('health'), middle('chunks'), middle('megabytes')];
}

/** Resident memory as the kernel counts it; not a number if there is no /proc. */
function residentMegabytes(pid: number): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return Number.NaN;
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1]) * 1024) / 1e6;
}

printTitle('From the start of the process to its first answer, and memory right after it');
await run();
