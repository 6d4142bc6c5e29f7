import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverFolder, startServerProgram } from '../../servers/servers.ts';
import { POSTGRES_HOME } from '../../support/postgres.ts';
import { freePort } from '../../support/process.ts';
import type { Cleanup } from '../../support/server.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

/** For `skip`: why no pgbouncer can be started here, or false. */
export const noPgBouncer: string | false =
  !existsSync(POSTGRES_HOME.root + PROGRAM) && `there is no ${PROGRAM}`;

/** Starts a pgbouncer in transaction mode before the database, and gives the database's URL by way of it. */
export async function startPgBouncer(t: Cleanup, databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const { inside, outside } = await serverFolder(t, POSTGRES_HOME);
  const port = await freePort();
  await writeFile(join(outside, 'users.txt'), `"${url.username}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=${url.hostname} port=${url.port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = trust\nauth_file = ${join(inside, 'users.txt')}`,
    'pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 100',
    'ignore_startup_parameters = extra_float_digits',
  ];
  await writeFile(join(outside, 'pgbouncer.ini'), settings.join('\n'));
  const command = [PROGRAM, join(inside, 'pgbouncer.ini')];
  await startServerProgram(t, { command, ready: /process up/, home: POSTGRES_HOME });
  url.port = String(port);
  return url.href;
}
