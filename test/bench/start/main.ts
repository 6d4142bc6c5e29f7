import { residentBytes } from '../../soak/resources.ts';
import { withOurs } from '../http/servers.ts';
import { median, timed } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';

const RUNS = 5;

interface Start {
  readonly health: number;
  readonly chunks: number;
  readonly megabytes: number;
}

/** Starts servers one after another; the first finds no code that an earlier start has compiled. */
async function run(cache: string): Promise<void> {
  process.env.NODE_COMPILE_CACHE = cache;
  const first = await start();
  const later: Start[] = [];
  for (let run = 0; run < RUNS; run++) later.push(await start());
  const rows = [
    rowOf('first start, nothing compiled yet', [first]),
    rowOf(`later starts, median of ${RUNS}`, later),
  ];
  const header = ['', '/health ms', 'first chunks ms', 'resident MB'];
  printTable('One server process with its defaults', header, rows);
}

/** The time from the start of a process to its first answer and to its first chunks, and its memory. */
function start(): Promise<Start> {
  return withOurs(async ({ client, pid, startMs }) => {
    const megabytes = residentBytes(pid) / 1e6;
    const ms = await timed(() => client.chunk('recursive', { text: 'One sentence. Another one.' }));
    return { health: startMs, chunks: startMs + ms, megabytes };
  });
}

function rowOf(name: string, starts: readonly Start[]): string[] {
  const middle = (member: keyof Start) => number(median(starts.map((start) => start[member])));
  return [name, middle('health'), middle('chunks'), middle('megabytes')];
}

printTitle('From the start of the process to its first answer, and memory right after it');
await withCleanup((_, folder) => run(folder));
