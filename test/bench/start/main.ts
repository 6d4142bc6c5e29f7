import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../../soak/resources.ts';
import { type SoakServer, startSoakServer } from '../../soak/server.ts';
import { measured, processorSeconds, type Run, run as runProgram } from '../corpus/processes.ts';
import { hasPython, staticCommand } from '../embeddings/peers.ts';
import { scaled } from '../flags.ts';
import { withOurs } from '../http/servers.ts';
import { timed } from '../race/race.ts';
import { printTable, printTitle, withRange } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';

const RUNS = scaled(5, 2);
const LONG_ENOUGH = 2000;
const TEXT = 'One sentence. Another one.';
/** Keeps a thread busy for about a second soon after it is sent: each word occurs once, so that it is short. */
const LONG = Array.from({ length: 6000 }, (_, text) =>
  Array.from({ length: 100 }, (_, word) => (1e9 + 100 * text + word).toString(36)).join(' '),
);
const PEER = join(import.meta.dirname, '../presets/peer.ts');
const MODEL = 'chunksmith/retrieval-en-512';
const BARE = join(import.meta.dirname, 'bare.ts');
const PDF = join(import.meta.dirname, '../../fixtures/pdf/odt.pdf');
const SPLITTER = 'langchain RecursiveCharacter';

/** A first answer: milliseconds by the clock and of processor time, and the resident memory after it. */
interface First {
  readonly ms: number;
  readonly core: number;
  readonly bytes: number;
}

/** Starts servers and peers by turns; the first server finds no code that an earlier start has compiled. */
async function run(folder: string): Promise<void> {
  process.env.NODE_COMPILE_CACHE = join(folder, 'cache');
  const steps = { ...SERVERS, ...peersIn(folder) };
  const firsts = new Map<string, First[]>();
  const add = (name: string, first: First) => firsts.set(name, [...(firsts.get(name) ?? []), first]);
  for (let round = 0; round <= RUNS; round++) {
    for (const step of Object.values(round === 0 ? SERVERS : steps)) {
      for (const [name, first] of Object.entries(await step()))
        add(round === 0 ? `${name}, nothing compiled yet` : name, first);
    }
  }
  const rows = [...firsts].sort(([a], [b]) => a.localeCompare(b)).map(([name, all]) => rowOf(name, all));
  printTable(`Medians of ${RUNS} starts with their ranges`, ['', 'ms', 'core ms', 'resident MB'], rows);
}

type Firsts = Readonly<Record<string, First>>;

const SERVERS: Readonly<Record<string, () => Promise<Firsts>>> = {
  bare: () =>
    withCleanup(async (t) => {
      const server = await startSoakServer(t, [], BARE);
      return { 'Fastify alone: start to /health': firstOf(server, server.startMs) };
    }),
  chunks: () =>
    withOurs(async (server) => {
      const health = firstOf(server, server.startMs);
      const chunks = firstOf(server, server.startMs + (await chunk(server)));
      const before = chunks.core;
      const vector = firstOf(server, await embed(server));
      return {
        'chunksmith: start to /health': health,
        'chunksmith: start to first chunk': chunks,
        'chunksmith: first vector of a running process': { ...vector, core: vector.core - before },
      };
    }),
  vector: () =>
    withOurs(async (server) => ({
      'chunksmith: start to first vector': firstOf(server, server.startMs + (await embed(server))),
    })),
  pdf: () =>
    withOurs(async (server) => ({
      'chunksmith: start to first chunk of a PDF': firstOf(server, server.startMs + (await chunkPdf(server))),
    })),
  thread: () => withOurs(firstInThreads),
  second: () => withOurs(embedInSecond),
};

/** The processor time of the first and of the second thread, each with its start and its first chunk. */
async function firstInThreads(server: SoakServer): Promise<Firsts> {
  // Too long for the event loop, so that a thread takes it.
  const text = TEXT.repeat(LONG_ENOUGH);
  const ms = await timed(() => server.client.chunk('recursive', { text }));
  // The second thread starts.
  await sleep(3000);
  await Promise.all([1, 2, 3, 4].map(() => server.client.chunk('recursive', { text })));
  const [first = Number.NaN, second = Number.NaN] = [...threadTimes(server).values()];
  return {
    'chunksmith: first chunk of a first thread': { ...firstOf(server, ms), core: first },
    'chunksmith: first chunk of a second thread': { ...firstOf(server, Number.NaN), core: second },
  };
}

/** A request while the first thread, which has a model, does other work; the processor time is that of the second. */
async function embedInSecond(server: SoakServer): Promise<Firsts> {
  await embed(server);
  // The second thread starts.
  await sleep(3000);
  let isBusy = true;
  const long = embed(server, LONG).finally(() => {
    isBusy = false;
  });
  // Until most of the first thread's code has been compiled, in threads that take the other core.
  await sleep(300);
  const before = threadTimes(server);
  const first = firstOf(server, await embed(server));
  if (!isBusy) throw new Error('the first thread has ended its work before the second one');
  const spent = [...threadTimes(server)].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
  await long;
  const core = spent.sort((a, b) => b - a)[1] as number;
  return { 'chunksmith: first vector of a second thread': { ...first, core } };
}

/** The processor time of each worker thread of a process, in milliseconds. */
function threadTimes({ pid }: SoakServer): Map<string, number> {
  const read = (thread: string, file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
  const threads = readdirSync(`/proc/${pid}/task`).filter((one) => read(one, 'comm') === 'WorkerThread\n');
  return new Map(threads.map((one) => [one, Number(read(one, 'schedstat').split(' ')[0]) / 1e6]));
}

const chunk = ({ client }: SoakServer) => timed(() => client.chunk('recursive', { text: TEXT }));

const embed = ({ client }: SoakServer, text: string | readonly string[] = TEXT) =>
  timed(async () => {
    const { status } = await client.post('/v1/embed', { text });
    if (status !== 200) throw new Error(`/v1/embed: ${status}`);
  });

const chunkPdf = ({ client }: SoakServer) =>
  timed(async () => {
    const { status } = await client.post('/v1/chunk/recursive/file', readFileSync(PDF), PDF_TYPE);
    if (status !== 200) throw new Error(`the PDF: ${status}`);
  });

const PDF_TYPE = { 'content-type': 'application/pdf' };

function firstOf({ pid }: SoakServer, ms: number): First {
  return { ms, core: 1000 * processorSeconds(pid), bytes: residentBytes(pid) };
}

/** Processes that load a peer, do the same once, and end: no server. */
function peersIn(folder: string): Record<string, () => Promise<Firsts>> {
  const lines = join(folder, 'lines.jsonl');
  const texts = join(folder, 'texts.json');
  writeFileSync(lines, JSON.stringify({ id: 'd', text: TEXT }));
  writeFileSync(texts, JSON.stringify([TEXT]));
  const named = (name: string, run: () => Promise<Run>) => async () => {
    const { whole = Number.NaN, cpu = Number.NaN, peak = Number.NaN } = await run();
    return { [name]: { ms: 1000 * whole, core: 1000 * cpu, bytes: peak } };
  };
  return {
    [SPLITTER]: named(`${SPLITTER}: start to first chunk`, () =>
      measured([PEER, SPLITTER, lines], '/dev/null'),
    ),
    ...(hasPython() && {
      python: named('Python, tokenizers, numpy: start to first vector', () =>
        runProgram(...staticCommand(MODEL, texts), ['pipe', 'pipe', 'inherit'], [Buffer.from('vectors\n')]),
      ),
    }),
  };
}

function rowOf(name: string, firsts: readonly First[]): string[] {
  const range = (member: keyof First, unit = 1) => withRange(firsts.map((first) => first[member] / unit));
  return [name, range('ms'), range('core'), range('bytes', 1e6)];
}

printTitle(
  'From the start of a process to its first chunk and its first vector, and memory after it; peers are not servers',
);
await withCleanup((_, folder) => run(folder));
