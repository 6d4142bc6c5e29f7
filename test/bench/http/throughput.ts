import { headOf, mainText } from '../data/texts.ts';
import { median } from '../race/race.ts';
import { number, printTable } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import { type LoadResult, send } from './load.ts';
import { type Server, startEcho, startOurs } from './servers.ts';

const ROUNDS = 3;
const SECONDS = 3;

interface Shape {
  readonly name: string;
  readonly bytes: number;
  readonly connections: number;
  /** Our chunkers that take part; the echo does the work of `token`. */
  readonly chunkers: readonly string[];
}

const SHAPES: readonly Shape[] = [
  { name: '2 KB x 16 connections', bytes: 2_000, connections: 16, chunkers: ['token'] },
  {
    name: '1 MB x 4 connections',
    bytes: 1_000_000,
    connections: 4,
    chunkers: ['token', 'sentence', 'recursive'],
  },
];

/** Puts load on the two servers by turns; only one of them runs at a time. */
export async function runThroughput(): Promise<void> {
  for (const shape of SHAPES) {
    const text = headOf(mainText(), shape.bytes);
    await withFile(JSON.stringify({ text, chunk_size: 512 }), (file) => runShape(shape, file));
  }
}

async function runShape(shape: Shape, file: string): Promise<void> {
  const echo: LoadResult[] = [];
  const ours = new Map<string, LoadResult[]>(shape.chunkers.map((chunker) => [chunker, []]));
  for (let round = 0; round < ROUNDS; round++) {
    await withServer(startEcho(), async ({ url }) => {
      echo.push(await measure(`${url}/v1/chunk/token`, shape, file));
    });
    await withServer(startOurs(), async ({ url }) => {
      for (const [chunker, results] of ours)
        results.push(await measure(`${url}/v1/chunk/${chunker}`, shape, file));
    });
  }
  const best = median(echo.map(perSecond));
  const rows = [
    ['Fastify echo', echo] as const,
    ...[...ours].map(([chunker, results]) => [`chunksmith ${chunker}`, results] as const),
  ].map(([name, results]) => rowOf(name, results, shape.bytes, best));
  const header = ['', 'answers/s', 'MB/s', 'min .. max', 'p50 ms', 'failures', 'ratio'];
  printTable(`${shape.name}, character tokenizer`, header, rows);
  console.log('');
}

/** Seconds of load until V8 has optimised what a request runs through. */
const WARM_UP_SECONDS = 4;

/** Measures a load after one that warms the server up. */
async function measure(url: string, { connections }: Shape, file: string): Promise<LoadResult> {
  await send({ url, file, connections, seconds: WARM_UP_SECONDS });
  return send({ url, file, connections, seconds: SECONDS });
}

async function withServer(starting: Promise<Server>, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await starting;
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

function rowOf(name: string, results: readonly LoadResult[], bytes: number, best: number): string[] {
  const speeds = results.map(perSecond);
  const megabytes = (speed: number) => number((speed * bytes) / 1e6);
  const failures = results.reduce((sum, result) => sum + result.failures, 0);
  return [
    name,
    number(median(speeds)),
    megabytes(median(speeds)),
    `${megabytes(Math.min(...speeds))} .. ${megabytes(Math.max(...speeds))}`,
    number(median(results.map(({ p50 }) => p50))),
    String(failures),
    `${number(median(speeds) / best)}x`,
  ];
}

function perSecond({ answers, seconds }: LoadResult): number {
  return answers / seconds;
}
