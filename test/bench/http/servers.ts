import { request } from 'node:http';
import { variableName } from '../../../server/config/option.ts';
import { freePort } from '../../soak/server.ts';
import { startProcess } from '../../support/process.ts';
import { type Cleanup, type Client, clientFor } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { withCleanup } from '../race/temporary.ts';

const START_LIMIT_MS = 60_000;

/** A server in a process of its own that listens on this machine only. */
export interface Server {
  readonly client: Client;
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Options of the server, by their names in its configuration. */
export type Settings = Readonly<Record<string, string | number>>;

/** This project's server with its defaults, except that it logs warnings only. */
export async function startOurs(t: Cleanup, settings: Settings): Promise<Server> {
  const port = await freePort();
  const all = { host: '127.0.0.1', port, logLevel: 'warning', ...settings };
  const env = Object.entries(all).map(([name, value]) => [variableName(name), String(value)]);
  const begin = performance.now();
  const { child, stderr, ended } = startProcess(t, [], { env: Object.fromEntries(env) });
  const client = clientFor(`http://127.0.0.1:${port}`);
  const isAnswering = () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${stderr()}`);
    return client.get('/health').then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await until(isAnswering, START_LIMIT_MS);
  const startMs = performance.now() - begin;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended();
  };
  return { client, url: client.url, pid: child.pid as number, startMs, stop };
}

/** Uses this project's server with a data folder of its own, and stops it. */
export function withOurs<T>(use: (server: Server) => Promise<T>, settings: Settings = {}): Promise<T> {
  return withCleanup(async (t, dataDir) => use(await startOurs(t, { dataDir, ...settings })));
}

/** Sends bytes and drops what comes back, so that the client takes little of the machine. */
export function postBytes(url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    sent.on('error', reject).end(body);
  });
}
