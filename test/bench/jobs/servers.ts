import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobAnswer } from '../../../server/jobs/job-answer.ts';
import { type ServerProcess, startProcess } from '../../support/process.ts';
import type { Cleanup, Client } from '../../support/server.ts';

/** A server in a process of its own. */
export interface Running {
  readonly client: Client;
  readonly process: ServerProcess;
}

export type Flags = Readonly<Record<string, string | number>>;

/** Starts a server with flags, on a free port. */
export async function start(t: Cleanup, flags: Flags, databaseUrl = ''): Promise<Running> {
  const args = Object.entries({ host: '127.0.0.1', port: 0, ...flags });
  const env: Record<string, string> = databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl };
  const server = startProcess(
    t,
    args.flatMap(([name, value]) => [`--${name}`, String(value)]),
    { env },
  );
  return { client: await server.listening(), process: server };
}

export async function stop({ process }: Running): Promise<void> {
  process.child.kill('SIGTERM');
  await process.ended();
}

export async function makeJob(
  client: Client,
  path: string,
  target: string,
  steps: object[],
): Promise<string> {
  const answer = await client.post('/v1/jobs', { source: { path }, steps, target: { path: target } });
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.json<JobAnswer>().id;
}

/** Waits until the job is as asked for. @returns seconds that it took */
export async function waitFor(
  client: Client,
  id: string,
  isThere: (job: JobAnswer) => boolean,
): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const job = (await client.get(`/v1/jobs/${id}`)).json<JobAnswer>();
    if (isThere(job)) return (performance.now() - begin) / 1000;
    if (job.state === 'failed') throw new Error(JSON.stringify(job));
    await sleep(50);
  }
}

/** Runs with what is undone afterwards, the last first, and with a folder of its own. */
export async function withCleanup<T>(run: (t: Cleanup, folder: string) => Promise<T>): Promise<T> {
  const handlers: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (handler) => void handlers.unshift(handler) };
  const folder = await mkdtemp(join(tmpdir(), 'chunksmith-bench-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  try {
    return await run(t, folder);
  } finally {
    for (const handler of handlers) await handler();
  }
}
