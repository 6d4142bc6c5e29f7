import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { composeQuietly } from '../../support/service.ts';
import { headOf, mainText } from '../data/texts.ts';
import { postBytes } from '../http/post-bytes.ts';
import { type Server, startOurs } from '../http/servers.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const CONNECTIONS = 8;
const REQUESTS = 1_000;
const ROUNDS = 31;
const STEPS = [
  { type: 'chunk', chunker: 'recursive', config: { chunk_size: 512 } },
  { type: 'refine', refinery: 'overlap', config: { context_size: 64 } },
];

printTitle(`Stored pipelines over HTTP, ${CONNECTIONS} connections, ${REQUESTS} requests each`);
await withDataFolder(async (folder) => {
  const rows = [await storeRow('SQLite', { DATA_DIR: folder })];
  await withPostgres(async (url) => {
    rows.push(await storeRow('PostgreSQL', { DATA_DIR: folder, DATABASE_URL: url }));
  });
  printTable('', ['', 'create/s', 'get/s'], rows);
});

printTitle('A pipeline of two steps on 1 MB, against its two endpoints called in turn');
await withDataFolder(async (folder) => {
  await withServer({ DATA_DIR: folder }, async ({ url }) => {
    const text = headOf(mainText(), 1_000_000);
    const { id } = (await post(`${url}/v1/pipelines`, { name: 'bench', steps: STEPS })) as { id: string };
    const results = await race(
      [
        { name: 'execute', isOurs: true, run: () => post(`${url}/v1/pipelines/${id}/execute`, { text }) },
        { name: 'two endpoints', run: () => callInTurn(url, text) },
        ...(await withoutJson(url, id, text)),
      ],
      { rounds: ROUNDS },
    );
    const [execute = 0, inTurn = 0, ownExecute = 0, ownInTurn = 0] = results.map(({ times }) =>
      median(times),
    );
    printTable(
      '',
      ['', 'ms'],
      results.map(({ name, times }) => [name, number(median(times))]),
    );
    console.log(`  execute takes ${number((100 * execute) / inTurn)}% of the time`);
    console.log(`  the server's own work ${number((100 * ownExecute) / ownInTurn)}%`);
    console.log(`  the client's JSON is ${number(100 - (100 * ownExecute) / execute)}% of executing\n`);
  });
});

printTitle('Overlap on 100,000 chunks, against one JSON round trip of the same chunks');
const { host, registry } = await composeQuietly();
const overlap = await host.get('refinery', 'overlap');
const tokenizer = await (await host.get('tokenizer', 'character')).open('character');
const defaults = Object.entries(registry.require('refinery', 'overlap').manifest.options?.properties ?? {});
const options = Object.fromEntries(
  defaults.map(([name, schema]) => [name, (schema as { default: unknown }).default]),
);
const chunks = manyChunks(100_000);
const surround = (chunk: Chunk, before: string, after: string, fields?: Partial<Chunk>) => ({
  ...chunk,
  ...fields,
  text: before + chunk.text + after,
});
const signal = new AbortController().signal;
const results = await race([
  {
    name: 'overlap',
    isOurs: true,
    run: () =>
      overlap.refine(chunks, options as never, { tokenizer, surround, report() {}, signal } as never),
  },
  { name: 'JSON round trip', run: () => JSON.parse(Buffer.from(JSON.stringify(chunks)).toString()) },
]);
printTable(
  '',
  ['', 'ms'],
  results.map(({ name, times }) => [name, number(median(times))]),
);
const [refined, roundTrip] = results.map(({ times }) => median(times)) as [number, number];
console.log(`  overlap takes ${number((100 * refined) / roundTrip)}% of the time\n`);

async function storeRow(name: string, env: Record<string, string>): Promise<string[]> {
  return withServer(env, async ({ url }) => {
    const ids: string[] = [];
    const run = Date.now();
    const creating = await perSecond(async (index) => {
      const created = await post(`${url}/v1/pipelines`, { name: `${run} ${index}`, steps: STEPS });
      ids.push((created as { id: string }).id);
    });
    const getting = await perSecond(async (index) => {
      await answered(await fetch(`${url}/v1/pipelines/${ids[index]}`));
    });
    return [name, number(creating), number(getting)];
  });
}

/** Sends one request after another on each connection, and returns how many were answered per second. */
async function perSecond(request: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const start = performance.now();
  const connection = async () => {
    while (next < REQUESTS) await request(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return (1000 * REQUESTS) / (performance.now() - start);
}

async function callInTurn(url: string, text: string): Promise<void> {
  const chunked = await post(`${url}/v1/chunk/recursive`, { text, ...STEPS[0]?.config });
  await post(`${url}/v1/refine/overlap`, { chunks: chunked, ...STEPS[1]?.config });
}

/** The same requests as bytes that are made once, and answers that nobody parses: what the server does. */
async function withoutJson(url: string, id: string, text: string) {
  const [chunk, refine] = STEPS.map(({ config }) => config);
  const chunks = await post(`${url}/v1/chunk/recursive`, { text, ...chunk });
  const [executed, chunked, refined] = [{ text }, { text, ...chunk }, { chunks, ...refine }].map((body) =>
    Buffer.from(JSON.stringify(body)),
  ) as [Buffer, Buffer, Buffer];
  return [
    {
      name: 'execute, without JSON of the client',
      run: () => postBytes(`${url}/v1/pipelines/${id}/execute`, executed),
    },
    {
      name: 'two endpoints, without it',
      run: async () => {
        await postBytes(`${url}/v1/chunk/recursive`, chunked);
        await postBytes(`${url}/v1/refine/overlap`, refined);
      },
    },
  ];
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return answered(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answered(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return body;
}

function manyChunks(count: number) {
  const text = headOf(mainText(), 1_000_000);
  return Array.from({ length: count }, (_, index) => {
    const start = (index * 512) % (text.length - 512);
    return {
      text: text.slice(start, start + 512),
      start_index: index * 512,
      end_index: index * 512 + 512,
      token_count: 512,
    };
  });
}

async function withServer<T>(env: Record<string, string>, use: (server: Server) => Promise<T>): Promise<T> {
  const server = await startOurs(env);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Calls `use` with the URL of a PostgreSQL of its own; skips it if none is installed. */
async function withPostgres(use: (url: string) => Promise<void>): Promise<void> {
  if (noPostgres !== false) {
    console.log(`PostgreSQL is left out: ${noPostgres}\n`);
    return;
  }
  const endings: (() => unknown)[] = [];
  try {
    const postgres = await startPostgres(
      { teardown: (end) => void endings.unshift(end) },
      { isDurable: true },
    );
    await use(postgres.freshUrl());
  } finally {
    for (const end of endings) await end();
  }
}

async function withDataFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chunksmith-bench-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
