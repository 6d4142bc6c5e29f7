import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Chunk } from '../../core/contracts/chunk.ts';
import { buildApp } from '../../server/app.ts';
import { type Config, configOf } from '../../server/config/config.ts';
import { STAND_INS } from './here.ts';

/** The part of a tap test that helpers need. */
export interface Cleanup {
  teardown(handler: () => unknown): void;
}

/** An answer that has come in whole. */
export interface Answer {
  readonly status: number;
  /** The address, after redirections. */
  readonly url: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON; throws where it is none. */
  json<T = unknown>(): T;
}

/** Speaks to one server over real HTTP. */
export interface Client {
  readonly url: string;
  readonly port: number;
  send(path: string, init?: RequestInit): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Posts JSON; a string or bytes go as they are. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Chunks one text, and throws where that fails. */
  chunk(name: string, request: { text: string } & Record<string, unknown>): Promise<Chunk[]>;
  chunkAll(name: string, request: { text: readonly string[] } & Record<string, unknown>): Promise<Chunk[][]>;
}

/** Starts the whole server on a free port; without workers and without a log unless the test says so. */
export async function startServer(t: Cleanup, config: Partial<Config> = {}): Promise<Client> {
  return (await startApp(t, config)).client;
}

/** The same, with the app itself, for tests that close it or read its log. */
export async function startApp(t: Cleanup, config: Partial<Config> = {}) {
  const dataDir = await temporaryFolder(t);
  const app = await buildApp(configOf({ workers: 0, logLevel: 'silent', dataDir, ...withStandIns(config) }));
  t.teardown(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, client: clientFor(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`) };
}

/** The value of a metric, by its name after `chunksmith_`, with its labels. */
export async function metricOf({ get }: Pick<Client, 'get'>, name: string): Promise<number> {
  const start = `chunksmith_${name} `;
  const lines = (await get('/metrics')).bytes.toString().split('\n');
  return Number(lines.find((line) => line.startsWith(start))?.slice(start.length));
}

/** A configuration under which `token` and `character` are there, whatever this checkout has. */
export function withStandIns(config: Partial<Config> = {}): Partial<Config> {
  return { ...config, pluginsDir: [...STAND_INS, ...(config.pluginsDir ?? [])] };
}

export function clientFor(url: string): Client {
  const send = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, init);
    const bytes = Buffer.from(await response.arrayBuffer());
    const json = <T>() => JSON.parse(bytes.toString()) as T;
    return { status: response.status, url: response.url, headers: response.headers, bytes, json };
  };
  const post: Client['post'] = (path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    return send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: isRaw ? (body as string) : JSON.stringify(body),
    });
  };
  const chunk = async <T>(name: string, request: object): Promise<T> => {
    const answer = await post(`/v1/chunk/${name}`, request);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
    return answer.json<T>();
  };
  const port = Number(new URL(url).port);
  return { url, port, send, get: (path) => send(path), post, chunk, chunkAll: chunk };
}

/** Sends bytes over a plain connection, says no more, and gives all that comes back. */
export function speak(port: number, request: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.end(request));
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer and no end within 5 s')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString()));
  });
}

/** A folder outside the project with the given files, of which objects are JSON, removed after the test. */
export async function temporaryFolder(
  t: Cleanup,
  files: Record<string, string | object> = {},
): Promise<string> {
  const folder = join(tmpdir(), `chunksmith-test-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(join(folder, name), isRaw ? content : JSON.stringify(content));
  }
  return folder;
}
