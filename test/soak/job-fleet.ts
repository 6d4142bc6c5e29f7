import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess, startProcess } from '../support/process.ts';
import type { Cleanup } from '../support/server.ts';
import type { Database } from '../support/stores.ts';

/** A server that takes jobs, and workers, all in processes of their own. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Milliseconds after which a process that starts or ends is stuck, on a machine that has much else to do. */
const TIMEOUT = 120_000;

/** What a signal did to a process: how it ended, or that it lives. */
export type Struck = number | null | 'it lives' | 'it did not end';

/** Sends a process a signal; one that is stopped goes on after so many milliseconds. */
export async function strike(
  { child, ended }: { readonly child: ChildProcess; ended(most: number): Promise<Struck> },
  signal: NodeJS.Signals,
  standstill: number,
): Promise<Struck> {
  child.kill(signal);
  if (signal !== 'SIGSTOP') return ended(TIMEOUT);
  await sleep(standstill);
  child.kill('SIGCONT');
  return 'it lives';
}

export interface FleetOptions {
  /** The folder below which jobs read and write. */
  readonly root: string;
  readonly shardBytes: number;
  /** Seconds. */
  readonly lease?: number;
  /** Further flags and variables of all processes. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startFleet(t: Cleanup, place: Database, options: FleetOptions) {
  const { root, shardBytes, lease = 1, flags = [], env = {} } = options;
  const settings = {
    host: '127.0.0.1',
    workers: 1,
    'data-dir': place.dataDir,
    'bulk-root': root,
    'bulk-lease': lease,
    'bulk-shard-bytes': shardBytes,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const database = place.databaseUrl === '' ? {} : { DATABASE_URL: place.databaseUrl };
  const start = (role: string, port: number) =>
    startProcess(t, [...args, ...flags, '--role', role, '--port', String(port)], {
      env: { ...database, ...env },
    });
  const first = start('api', 0);
  const api = await first.listening(TIMEOUT);
  return {
    api,
    server: apiProcess(first, () => start('api', api.port)),
    /** Starts a worker. */
    worker: () => start('worker', 0),
  };
}

/** The process that answers a fleet's requests, and another one on its port after each that was ended. */
function apiProcess(first: ServerProcess, start: () => ServerProcess) {
  let current = first;
  /** How often one was ended or stopped, and whether requests can be answered. */
  const state = { ends: 0, isUp: true };
  return Object.assign(state, {
    current: () => current,
    /** Ends it, and starts another one; or stops it for so many milliseconds. */
    async strike(signal: NodeJS.Signals, standstill: number) {
      Object.assign(state, { ends: state.ends + 1, isUp: false });
      const struck = await strike(current, signal, standstill);
      if (struck !== 'it lives') {
        current = start();
        await current.listening(TIMEOUT);
      }
      state.isUp = true;
      return struck;
    },
  });
}
