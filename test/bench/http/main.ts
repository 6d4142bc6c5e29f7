import { join } from 'node:path';
import type { SoakServer } from '../../soak/server.ts';
import { startProcess } from '../../support/process.ts';
import { headOf, mainText } from '../data/texts.ts';
import { scaled } from '../flags.ts';
import { number, printTable, printTitle, timesAsFast } from '../race/report.ts';
import { median, ratioOf } from '../race/statistics.ts';
import { withCleanup, withFile } from '../race/temporary.ts';
import { type LoadResult, send } from './load.ts';
import { withOurs } from './servers.ts';

const ROUNDS = scaled(3, 1);
const SECONDS = 3;

/** Texts, and our chunkers that take part; the echo does the work of `token`. */
const SHAPES = [
  { name: '2 KB x 16 connections', bytes: 2_000, connections: 16, chunkers: ['token'] },
  {
    name: '1 MB x 4 connections',
    bytes: 1_000_000,
    connections: 4,
    chunkers: ['token', 'sentence', 'recursive'],
  },
];

type Shape = (typeof SHAPES)[number];

/** Seconds of load until V8 has optimised what a request runs through. */
const WARM_UP_SECONDS = 4;

printTitle(
  'One server process with its workers against a plain Fastify JSON echo and one with ids, log, metrics and headers, autocannon on the same machine',
);
for (const shape of SHAPES) {
  const text = headOf(mainText(), shape.bytes);
  await withFile(JSON.stringify({ text, chunk_size: 512 }), (file) => runShape(shape, file));
}

/** Puts load on the two servers by turns; only one of them runs at a time. */
async function runShape(shape: Shape, file: string): Promise<void> {
  const echo: LoadResult[] = [];
  const whole: LoadResult[] = [];
  const ours = new Map<string, LoadResult[]>(shape.chunkers.map((chunker) => [chunker, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [args, results] of [
      [[], echo],
      [['whole'], whole],
    ] as const) {
      await withCleanup(async (t) => {
        const entry = [join(import.meta.dirname, 'echo.ts'), ...args];
        const { url } = await startProcess(t, entry, { entry: [] }).listening();
        results.push(await measure(`${url}/v1/chunk/token`, shape, file));
      });
    }
    const use = async ({ client }: SoakServer) => {
      for (const [chunker, results] of ours)
        results.push(await measure(`${client.url}/v1/chunk/${chunker}`, shape, file));
    };
    await withOurs(use, ['--log-level', 'info']);
  }
  const echoes = [echo, whole];
  const rows = [
    rowOf('Fastify echo', echo, shape.bytes, echoes),
    rowOf('the same with what a server needs', whole, shape.bytes, echoes),
    ...[...ours].map(([chunker, results]) => rowOf(`chunksmith ${chunker}`, results, shape.bytes, echoes)),
  ];
  const header = [
    '',
    'answers/s',
    'MB/s',
    'min .. max',
    'p50 ms',
    'failures',
    'of the echo',
    'of the second row',
  ];
  printTable(`${shape.name}, character tokenizer`, header, rows);
}

/** Measures a load after one that warms the server up. */
async function measure(url: string, { connections }: Shape, file: string): Promise<LoadResult> {
  await send(url, file, connections, WARM_UP_SECONDS);
  return send(url, file, connections, SECONDS);
}

function rowOf(
  name: string,
  results: readonly LoadResult[],
  bytes: number,
  echoes: readonly (readonly LoadResult[])[],
): string[] {
  const speeds = results.map(perSecond);
  const megabytes = (speed: number) => number((speed * bytes) / 1e6);
  const failures = results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0);
  return [
    name,
    number(median(speeds)),
    megabytes(median(speeds)),
    `${megabytes(Math.min(...speeds))} .. ${megabytes(Math.max(...speeds))}`,
    number(median(results.map(({ latency }) => latency.p50))),
    String(failures),
    ...echoes.map((echo) => (echo === results ? '' : timesAsFast(ratioOf(speeds, echo.map(perSecond))))),
  ];
}

function perSecond(result: LoadResult): number {
  return result['2xx'] / result.duration;
}
