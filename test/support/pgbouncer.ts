import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, unprivileged } from './postgres.ts';
import { until } from './process.ts';
import { type Cleanup, temporaryFolder } from './server.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

/** For `skip`: why no pgbouncer can be started here, or false. */
export const noPgBouncer: string | false = existsSync(PROGRAM)
  ? false
  : `no ${PROGRAM}: apt-get install pgbouncer`;

/** Starts a pgbouncer in transaction mode before the database, and gives the database's URL by way of it. */
export async function startPgBouncer(t: Cleanup, databaseUrl: string): Promise<string> {
  const { hostname, port, username } = new URL(databaseUrl);
  const folder = await temporaryFolder(t);
  const own = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =`,
    `auth_type = trust\nauth_file = ${users}`,
    'pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 100',
    'ignore_startup_parameters = extra_float_digits',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  await chmod(folder, 0o755);
  const [command = '', ...args] = [...(unprivileged()?.prefix ?? []), PROGRAM, '-q', file];
  const child = spawn(command, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await until(() => accepts(own));
  const url = new URL(databaseUrl);
  url.port = String(own);
  return url.href;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
