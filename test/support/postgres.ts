import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  HOME,
  hostHome,
  noServers,
  type RunningServer,
  type ServerHome,
  serverFolder,
  startServerProgram,
} from '../servers/servers.ts';
import { freePort } from './process.ts';
import type { Cleanup } from './server.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const USER = 'chunksmith';

/** A real PostgreSQL server on a port of this machine. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** Programs of PostgreSQL: version 17 of the real servers, or else the one of this machine. */
const { bin, home } = noServers === false ? { bin: `${DEBIAN}/17/bin`, home: HOME } : onThisMachine();

/** For `skip`: why no PostgreSQL can be started here, or false. */
export const noPostgres: string | false = bin === undefined && noServers;

/** Where PostgreSQL and pgbouncer run. */
export const POSTGRES_HOME: ServerHome = home;

/**
 * Starts a PostgreSQL in a temporary folder and stops it after the test. Only a durable one waits for the disk.
 *
 * @param prepare is given the folder while it is empty
 */
export async function startPostgres(
  t: Cleanup,
  { isDurable = false, prepare = async (_folder: string) => {} } = {},
) {
  const folder = await serverFolder(t, home);
  await prepare(folder.outside);
  const data = join(folder.inside, 'data');
  await prepareData(folder.outside, data);
  const port = await freePort();
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: isDurable ? 'on' : 'off',
    jit: 'off',
  };
  const settings = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(bin as string, 'postgres'), '-D', data, '-p', String(port), ...settings];
  let running: RunningServer | undefined;
  const server = {
    /** The URL of a new, empty database. */
    async newDatabase() {
      const url = server.freshUrl();
      const client = new Client({ connectionString: url.replace(/[^/]+$/, 'postgres') });
      await client.connect();
      await client.query(`create database ${url.split('/').at(-1)}`);
      await client.end();
      return url;
    },
    /** The URL of a database that nobody has created. */
    freshUrl: () => `postgresql://${USER}@127.0.0.1:${port}/test_${randomUUID().replaceAll('-', '')}`,
    async start() {
      const ready = /database system is ready to accept connections/;
      running = await startServerProgram(t, { command, ready, end: 'QUIT', home });
    },
    /** The folder of its files. */
    folder: folder.outside,
    /** Whether it has not ended by itself. */
    isRunning: () => running?.child.exitCode === null,
    /** `fast` ends what is done now, `immediate` ends the server as a crash would. */
    async stop(mode: 'fast' | 'immediate' = 'immediate') {
      await running?.stop(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    },
  };
  await server.start();
  return server;
}

/** Copies the data of a server that was never started, or makes them. */
async function prepareData(folder: string, data: string): Promise<void> {
  if (noServers === false) {
    await run('cp', ['-a', join(home.root, 'srv/postgres'), join(folder, 'data')]);
  } else {
    const settings = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    const [program = '', ...args] = [...home.prefix, join(bin as string, 'initdb'), '-D', data, ...settings];
    await run(program, args, { cwd: '/' });
  }
}

/** PostgreSQL refuses to run as root; Debian's packages create a user for it. */
function onThisMachine(): { readonly bin: string | undefined; readonly home: ServerHome } {
  const folders = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'))
    : [];
  const bin = folders.find((folder) => existsSync(join(folder, 'initdb')));
  const hasUser = spawnSync('id', ['postgres']).status === 0;
  return { bin, home: hostHome(hasUser ? Number(execFileSync('id', ['-u', 'postgres'])) : 0) };
}
