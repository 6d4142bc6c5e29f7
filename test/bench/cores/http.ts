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

/** A server that is measured. */
interface Candidate {
  /** The folder of its code; by default this one. */
  readonly checkout?: string;
  readonly processes?: number;
}

/** Measures servers by turns. @returns the rows of each */
export async function measureHttp(candidates: readonly Candidate[]): Promise<HttpRow[][]> {
  const shapes = [64_000, 256_000, 1_000_000].map(requestsOf).concat(streamOf(scaled(60e6, 10e6)));
  const usages = candidates.map(() => shapes.map((): Usage[] => []));
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, candidate] of candidates.entries())
      await withServer(candidate, async (url, pid) => {
        for (const [nth, shape] of shapes.entries()) {
          await shape.send(url);
          await sleep(QUIET_MS);
          const before = threadsOf(pid);
          await shape.send(url);
          usages[at]?.[nth]?.push(usageBetween(before, threadsOf(pid)));
        }
      });
  return usages.map((ofOne) =>
    shapes.map(({ name, bytes }, nth) => {
      const rounds = ofOne[nth] as Usage[];
      const perMb = (of: keyof Usage) => median(rounds.map((usage) => (usage[of] * 1e9) / bytes));
      return { name, main: perMb('main'), workers: perMb('workers') };
    }),
  );
}

/** Milliseconds after a load for what is left of it. */
const QUIET_MS = 300;

function withServer(
  { checkout, processes = 1 }: Candidate,
  use: (url: string, pid: number) => Promise<void>,
): Promise<void> {
  return withCleanup(async (t, folder) => {
    const workers = String(Math.max(availableParallelism(), processes));
    const args = ['--data-dir', folder, '--log-level', 'info', '--workers', workers];
    if (processes > 1) args.push('--processes', String(processes));
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

/** What the threads of a server have used: the busiest of its main threads, and all threads of workers. */
function usageBetween(before: Threads, after: Threads): Usage {
  const used = [...after].map(([thread, { isMain, seconds }]) => ({
    isMain,
    seconds: seconds - (before.get(thread)?.seconds ?? 0),
  }));
  const secondsOf = (isMain: boolean) =>
    used.filter((one) => one.isMain === isMain).map((one) => one.seconds);
  return { main: Math.max(...secondsOf(true)), workers: secondsOf(false).reduce((sum, one) => sum + one, 0) };
}

type Threads = ReadonlyMap<string, { readonly isMain: boolean; readonly seconds: number }>;

/** The threads of a server's processes that do its work. */
function threadsOf(pid: number): Threads {
  const threads = new Map<string, { isMain: boolean; seconds: number }>();
  for (const process of [String(pid), ...childrenOf(pid)])
    for (const thread of readdirSync(`/proc/${process}/task`)) {
      const of = (name: string) => readFileSync(`/proc/${process}/task/${thread}/${name}`, 'utf8');
      const isMain = thread === process;
      if (isMain || isWorker(of('comm')))
        threads.set(thread, { isMain, seconds: Number(of('schedstat').split(' ')[0]) / 1e9 });
    }
  return threads;
}

function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** The other threads are those of V8 and libuv. */
const isWorker = (name: string): boolean => !/^(V8Worker|libuv-worker|DelayedTask|SignalInsp)/.test(name);

/** Prints the rows of a server with one process, with several, and of the other checkout. */
export async function printHttp(): Promise<void> {
  printTitle('Worker threads that the busiest thread of HTTP could feed');
  const candidates: Record<string, Candidate> = {
    'one process': {},
    [`--processes ${PROCESSES}`]: { processes: PROCESSES },
    ...(flags.against !== undefined && { [flags.against]: { checkout: flags.against } }),
  };
  const measured = await measureHttp(Object.values(candidates));
  for (const [at, name] of Object.keys(candidates).entries())
    printTable(
      `${name}, \`recursive\``,
      ['', 'main thread, ms/MB', 'workers, ms/MB', 'cores at most'],
      (measured[at] as HttpRow[]).map(({ name, main, workers }) => [
        name,
        number(main),
        number(workers),
        number(workers / main),
      ]),
    );
}

const PROCESSES = 4;
