import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { type Cleanup, type Client, clientFor } from '../support/server.ts';

const START_LIMIT_MS = 30_000;

/** A server in a process of its own that logs no requests. */
export interface SoakServer {
  readonly client: Client;
  readonly pid: number;
  /** All that it printed. */
  printed(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a server, by default on a free port, and waits until it answers. */
export async function startSoakServer(
  t: Cleanup,
  args: readonly string[],
  port?: number,
): Promise<SoakServer> {
  const taken = port ?? (await freePort());
  const local = ['--host', '127.0.0.1', '--port', String(taken), '--log-level', 'warning'];
  const { child, stdout, stderr, ended } = startProcess(t, [...local, ...args]);
  const client = clientFor(`http://127.0.0.1:${taken}`);
  const server: SoakServer = {
    client,
    pid: child.pid as number,
    printed: () => stdout() + stderr(),
    async kill(signal) {
      child.kill(signal);
      await ended();
    },
  };
  for (const end = Date.now() + START_LIMIT_MS; Date.now() < end; await wait(5)) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${server.printed()}`);
    const answer = await client.get('/health').catch(() => undefined);
    if (answer?.status === 200) return server;
  }
  throw new Error(`The server does not answer: ${server.printed()}`);
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
