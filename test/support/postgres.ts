import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cleanup, temporaryFolder } from './server.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const USER = 'chunksmith';

/** A real PostgreSQL server on a port of this machine. */
export interface Postgres {
  /** The URL of a new, empty database; it is created when the store opens it. */
  freshUrl(): string;
  start(): Promise<void>;
  /** `fast` ends what is done now, `immediate` ends the server as a crash would. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

/** For `skip`: why no PostgreSQL can be started here, or false. */
export const noPostgres: string | false =
  binaries() === undefined ? `no PostgreSQL below ${DEBIAN}: apt-get install postgresql` : false;

/** Starts a PostgreSQL in a temporary folder and stops it after the test. Only a durable one waits for the disk. */
export async function startPostgres(t: Cleanup, { isDurable = false } = {}): Promise<Postgres> {
  const bin = binaries() as string;
  const folder = await temporaryFolder(t);
  const data = join(folder, 'data');
  const asUser = unprivileged();
  if (asUser !== undefined) await chown(folder, asUser.uid, asUser.gid);
  const port = await freePort();
  const command = (name: string, args: readonly string[]) => {
    const whole = [...(asUser?.prefix ?? []), join(bin, name), ...args];
    return run(whole[0] as string, whole.slice(1));
  };
  await command('initdb', ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=${isDurable ? 'on' : 'off'}`;
  const control = (...args: string[]) => command('pg_ctl', ['-D', data, '-w', ...args]);
  let isRunning = false;
  const server: Postgres = {
    freshUrl: () => `postgresql://${USER}@127.0.0.1:${port}/test_${randomUUID().replaceAll('-', '')}`,
    async start() {
      await control('-l', join(folder, 'log'), '-o', settings, 'start');
      isRunning = true;
    },
    async stop(mode = 'immediate') {
      if (isRunning) await control('-m', mode, 'stop');
      isRunning = false;
    },
  };
  t.teardown(() => server.stop());
  await server.start();
  return server;
}

function binaries(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const folders = readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL and pgbouncer refuse to run as root; Debian's packages create a user for them. */
export function unprivileged(): { uid: number; gid: number; prefix: string[] } | undefined {
  if (process.getuid?.() !== 0 || spawnSync('id', ['postgres']).status !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  const prefix = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'];
  return { uid: uid as number, gid: gid as number, prefix };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
