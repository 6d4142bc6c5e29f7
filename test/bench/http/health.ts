import { headOf, mainText } from '../data/texts.ts';
import { number, printTable } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import { type Latencies, type LoadResult, probe, send } from './load.ts';
import { startOurs } from './servers.ts';

const SECONDS = 10;
const CLIENTS = 8;
const BYTES = 5_000_000;

/** What the clients request. */
const TASKS = [
  { chunker: 'recursive', tokenizer: 'character' },
  { chunker: 'recursive', tokenizer: 'cl100k_base' },
];

export async function runHealth(): Promise<void> {
  const text = headOf(mainText(), BYTES);
  const server = await startOurs();
  try {
    const rows = [rowOf('idle', await probe(`${server.url}/health`, 2))];
    for (const { chunker, tokenizer } of TASKS) {
      const url = `${server.url}/v1/chunk/${chunker}`;
      const [latencies, load] = await withFile(JSON.stringify({ text, tokenizer }), (file) =>
        Promise.all([
          probe(`${server.url}/health`, SECONDS),
          send({ url, file, connections: CLIENTS, seconds: SECONDS }),
        ]),
      );
      rows.push(rowOf(`${chunker}, ${tokenizer}`, latencies, load));
    }
    const header = ['', 'p50 ms', 'p99 ms', 'max ms', 'asked', 'failures', '5 MB answers', 'MB/s', 'failed'];
    printTable(`${SECONDS} s each`, header, rows);
  } finally {
    await server.stop();
  }
}

function rowOf(name: string, { times, failures }: Latencies, load?: LoadResult): string[] {
  const quantile = (share: number) => number(times[Math.ceil(share * times.length) - 1] ?? Number.NaN);
  const row = [
    name,
    quantile(0.5),
    quantile(0.99),
    quantile(1),
    String(times.length + failures),
    String(failures),
  ];
  if (load === undefined) return row;
  const speed = number((load.answers * BYTES) / 1e6 / load.seconds);
  return [...row, String(load.answers), speed, String(load.failures)];
}
