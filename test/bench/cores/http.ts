import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSoakServer } from '../../soak/server.ts';
import { DOCUMENT, jsonLines } from '../corpus/data.ts';
import { headOf, mainText } from '../data/texts.ts';
import { flags, scaled } from '../flags.ts';
import { number, printTable, printTitle } from '../race/report.ts';
import { median } from '../race/statistics.ts';
import { withCleanup } from '../race/temporary.ts';

/** How many worker threads the thread of HTTP could feed, by the processor time of both for each megabyte. Linux only. */

const ROUNDS = scaled(5, 1);
const CLIENTS = 16;
const ROUTE = '/v1/chunk/recursive';

interface Shape {
  readonly name: string;
  readonly bytes: number;
  send(url: string): Promise<void>;
}

/** Seconds of processor time. */
interface Usage {
  readonly main: number;
  readonly workers: number;
}

/** A row of `npm run bench -- cores`: what it is, and milliseconds per MB in the middle round. */
export interface HttpRow {
  readonly name: string;
  readonly main: number;
  readonly workers: number;
}

/** @param checkouts the folders of the code; undefined is this one. They are measured by turns. */
export async function measureHttp(
  checkouts: readonly (string | undefined)[] = [undefined],
): Promise<HttpRow[][]> {
  const shapes = [64_000, 256_000, 1_000_000].map(requestsOf).concat(streamOf(scaled(60e6, 10e6)));
  const usages = checkouts.map(() => shapes.map((): Usage[] => []));
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, checkout] of checkouts.entries())
      await withServer(checkout, async (url, pid) => {
        for (const [nth, shape] of shapes.entries()) {
          await shape.send(url);
          await sleep(QUIET_MS);
          const before = usageOf(pid);
          await shape.send(url);
          const after = usageOf(pid);
          const used = { main: after.main - before.main, workers: after.workers - before.workers };
          usages[at]?.[nth]?.push(used);
        }
      });
  return usages.map((ofCheckout) =>
    shapes.map(({ name, bytes }, nth) => {
      const rounds = ofCheckout[nth] as Usage[];
      const perMb = (of: keyof Usage) => median(rounds.map((usage) => (usage[of] * 1e9) / bytes));
      return { name, main: perMb('main'), workers: perMb('workers') };
    }),
  );
}

/** Milliseconds after a load for what is left of it. */
const QUIET_MS = 300;

function withServer(
  checkout: string | undefined,
  use: (url: string, pid: number) => Promise<void>,
): Promise<void> {
  return withCleanup(async (t, folder) => {
    const args = ['--data-dir', folder, '--log-level', 'info', '--workers', String(availableParallelism())];
    const { client, pid, stop } = await startSoakServer(t, args, checkout);
    await use(client.url, pid);
    await stop();
  });
}

function requestsOf(size: number): Shape {
  const body = Buffer.from(JSON.stringify({ text: headOf(mainText(), size) }));
  const count = Math.ceil(scaled(40e6, 8e6) / body.length);
  return {
    name: `requests of ${size / 1000} KB, ${CLIENTS} clients`,
    bytes: count * body.length,
    async send(url) {
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
      let left = count;
      const client = async () => {
        while (left-- > 0)
          await post(url, agent, { 'content-type': 'application/json', 'content-length': body.length }, [
            body,
          ]);
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      agent.destroy();
    },
  };
}

function streamOf(size: number): Shape {
  const lines = [Buffer.from('{}\n'), ...jsonLines(size, DOCUMENT)];
  return {
    name: `one NDJSON stream of ${size / 1e6} MB`,
    bytes: lines.reduce((sum, { length }) => sum + length, 0),
    send: (url) =>
      post(url, new Agent(), { 'content-type': 'application/x-ndjson' }, piecesOf(Buffer.concat(lines))),
  };
}

const PIECE = 65_536;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Sends a request, and drops the answer. */
function post(
  url: string,
  agent: Agent,
  headers: Record<string, string | number>,
  body: Iterable<Buffer>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${ROUTE}`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    pipeline(Readable.from(body), sent).catch(reject);
  });
}

/** What the threads of a server and of its processes have used: main threads, and threads of workers. */
function usageOf(pid: number): Usage {
  let [main, workers] = [0, 0];
  for (const process of [pid, ...childrenOf(pid)])
    for (const thread of readdirSync(`/proc/${process}/task`)) {
      const [nanoseconds] = readFileSync(`/proc/${process}/task/${thread}/schedstat`, 'utf8').split(' ');
      const seconds = Number(nanoseconds) / 1e9;
      if (thread === String(process)) main += seconds;
      else if (isWorker(readFileSync(`/proc/${process}/task/${thread}/comm`, 'utf8'))) workers += seconds;
    }
  return { main, workers };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** The other threads are those of V8 and libuv. */
const isWorker = (name: string): boolean => !/^(V8Worker|libuv-worker|DelayedTask|SignalInsp)/.test(name);

/** Prints the rows of each checkout. */
export async function printHttp(): Promise<void> {
  printTitle('Worker threads that one thread of HTTP could feed');
  const checkouts = [undefined, ...(flags.against === undefined ? [] : [flags.against])];
  const measured = await measureHttp(checkouts);
  for (const [at, rows] of measured.entries())
    printTable(
      `${checkouts[at] ?? 'here'}, \`recursive\``,
      ['', 'main thread, ms/MB', 'workers, ms/MB', 'cores at most'],
      rows.map(({ name, main, workers }) => [name, number(main), number(workers), number(workers / main)]),
    );
}

if (import.meta.main) await printHttp();
