import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const START_LIMIT_MS = 30_000;

/** A server in a process of its own that listens on this machine only. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** This project's server with its defaults, except that it logs warnings only. */
export function startOurs(env: Record<string, string> = {}): Promise<Server> {
  const file = join(ROOT, 'server', 'main.ts');
  return start(
    (port) => [file, '--host', '127.0.0.1', '--port', String(port), '--log-level', 'warning'],
    env,
  );
}

/** The plain Fastify server that echoes slices as JSON. */
export function startEcho(): Promise<Server> {
  return start((port) => [join(import.meta.dirname, 'echo.ts'), String(port)], {});
}

async function start(args: (port: number) => string[], env: Record<string, string>): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const begin = performance.now();
  const stdio: SpawnOptions['stdio'] = ['ignore', 'ignore', 'inherit'];
  const child = spawn(process.execPath, args(port), { cwd: ROOT, env: { ...process.env, ...env }, stdio });
  try {
    await firstAnswer(`${url}/health`, child, begin + START_LIMIT_MS);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const startMs = performance.now() - begin;
  return { url, pid: child.pid as number, startMs, stop: () => stop(child) };
}

async function firstAnswer(url: string, child: ChildProcess, limit: number): Promise<void> {
  while (performance.now() < limit && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(5);
  }
  throw new Error(`${url} did not answer.`);
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exit;
  clearTimeout(timer);
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
