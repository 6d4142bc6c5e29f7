import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChroma } from '../servers/chroma.ts';
import { HOME, noServers, type RunningServer, serverFolder, startServerProgram } from '../servers/servers.ts';
import { needs } from '../support/here.ts';
import { freePort } from '../support/process.ts';
import type { Cleanup } from '../support/server.ts';
import { openGate } from './gate.ts';
import { type Digests, digestOf, digestsOf } from './job-results.ts';

/** From where to where jobs go, and the servers on the way. */

/** From where to where the jobs of a site go. */
export interface Route {
  readonly source: object;
  /** What a job of this name writes into, in the words of its request. */
  target(name: string): object;
  /** Further steps, and fields of the request. */
  readonly more?: object;
  /** What is there now. */
  content(name: string): Promise<Digests>;
  /** Whether it stays when its job is deleted. */
  readonly isSink?: boolean;
}

/** From a file of a folder to folders in it. */
export const folderRoute = (root: string): Route => ({
  source: { path: 'in.jsonl' },
  target: (path) => ({ path }),
  content: (name) => digestsOf(join(root, name)).catch(() => ({})),
});

/** A server on the way of jobs, which keeps what it has when it ends. */
export interface RouteServer {
  readonly route: Route;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  running(): RunningServer;
  start(): Promise<void>;
}

/** Why no jobs can store in Chroma here; false if they can. */
export const noSink = noServers || needs('refinery/embeddings', 'sink/chroma', 'embedding/static').skip;

/** Chroma as the sink of jobs. */
export async function startSink(t: Cleanup): Promise<RouteServer> {
  const chroma = await startChroma(t);
  const { env, running, start } = chroma;
  const model = 'chunksmith/static-en-256';
  const chunk = { type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 400 } };
  const embed = { type: 'refine', refinery: 'embeddings', config: { embedding_model: model } };
  const route: Route = {
    source: { path: 'in.jsonl' },
    target: (name) => ({ sink: { name: 'chroma', collection: name } }),
    more: { steps: [chunk, embed], include: ['id', 'document_id'] },
    async content(name) {
      const chunks = await chroma.chunks(name);
      // Chroma gives fields in any order.
      const digests = chunks.map(({ id, text, fields }) => {
        const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
        return [id, digestOf(JSON.stringify([text, sorted]))];
      });
      return Object.fromEntries(digests);
    },
    isSink: true,
  };
  return { route, flags: [], env: env as RouteServer['env'], running, start };
}

/** A request that moto has noted. */
interface Noted {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** moto with a bucket as source and target of jobs. It keeps objects in memory, and notes requests in a file before it obeys. */
export async function startBucket(t: Cleanup, source: Buffer): Promise<RouteServer> {
  const { inside, outside } = await serverFolder(t, HOME);
  const file = join(outside, 'requests');
  const port = await freePort();
  const gate = await openGate(t, port);
  const program = {
    command: ['python3', '/usr/bin/moto_server', '-p', String(port)],
    ready: /Running on/,
    env: { MOTO_ENABLE_RECORDING: '1', MOTO_RECORDER_FILEPATH: `${inside}/requests` },
  };
  const call = callBucket(port);
  let running = await startServerProgram(t, program);
  await call('PUT', '');
  await call('PUT', '/in.jsonl', source);
  const connection = { endpoint: `http://127.0.0.1:${gate.port}`, bucket: 'docs' };
  const keys = { access_key_id: 'none', secret_access_key: 'none' };
  await writeFile(join(outside, 'buckets.json'), JSON.stringify({ store: { ...connection, ...keys } }));
  return {
    route: bucketRoute(call),
    flags: ['--bulk-connections', join(outside, 'buckets.json')],
    env: {},
    running: () => running,
    /** Nobody may see it before it has again what it had. */
    async start() {
      await gate.shut();
      const kept = keptIn(await readFile(file, 'utf8'));
      await writeFile(file, '');
      running = await startServerProgram(t, program);
      for (const [path, body] of kept) await call('PUT', path, body);
      await gate.open();
    },
  };
}

/** The objects that are there after requests to write and to delete; an object that is written once stays as it is. */
function keptIn(lines: string): ReadonlyMap<string, Buffer> {
  const kept = new Map<string, Buffer>();
  // Lines of requests at the same time run into each other, and the last one may be torn.
  for (const line of lines.split(/\n|(?<=\})(?=\{"headers")/).filter((line) => line.endsWith('}'))) {
    const { method, url, headers, body } = JSON.parse(line) as Noted;
    const path = new URL(url).pathname.replace(/^\/docs/, '');
    const isOnce = Object.keys(headers).some((name) => name.toLowerCase() === 'if-none-match');
    if (method === 'DELETE') kept.delete(path);
    if (method === 'PUT' && !(isOnce && kept.has(path))) kept.set(path, Buffer.from(body, 'base64'));
  }
  return kept;
}

type Call = (method: string, path: string, body?: Buffer) => Promise<Buffer>;

/** Asks for what is in the bucket of moto, which checks no signature. */
function callBucket(port: number): Call {
  return async (method, path, body) => {
    const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/s3/aws4_request' };
    const init = { method, headers, body: body === undefined ? null : new Uint8Array(body) };
    const answer = await fetch(`http://127.0.0.1:${port}/docs${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
}

const ATTEMPT = /\.[0-9a-f]{8}\.a\d+/g;

const bucketRoute = (call: Call): Route => ({
  source: { path: 's3://store/in.jsonl' },
  target: (name) => ({ path: `s3://store/${name}` }),
  async content(folder) {
    const list = `${await call('GET', `?list-type=2&max-keys=1000&prefix=${folder}/`)}`;
    const found = [...list.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
    const digests = new Map<string, string>();
    for (const key of found.filter((key) => !key.endsWith('/job.json'))) {
      // Files keep the names of their attempts, which the manifest has.
      const name = digests.has(key.replace(ATTEMPT, '')) ? key : key.replace(ATTEMPT, '');
      digests.set(
        name.slice(folder.length),
        digestOf(`${await call('GET', `/${key}`)}`.replaceAll(ATTEMPT, '')),
      );
    }
    return Object.fromEntries(digests);
  },
});
