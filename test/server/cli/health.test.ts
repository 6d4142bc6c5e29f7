import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '../../soak/server.ts';
import { startProcess } from '../../support/process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOCAL = ['--store', 'memory', '--plugins', 'token,character', '--log-level', 'warn'];
const noProc = process.platform !== 'linux' && 'only Linux shows the command of another process';

/** The exit code of the image's health check, asked about a process. */
function health(pid: number | undefined): number | null {
  const command = 'unset NODE_OPTIONS; exec "$0" "$@"';
  return spawnSync('sh', ['-c', command, process.execPath, join(ROOT, 'server/cli/health.ts'), String(pid)], {
    env: { PATH: process.env.PATH, PORT: '1', HOST: '192.0.2.1' },
  }).status;
}

t.test('the health check follows --port and --host, and PORT and HOST', { skip: noProc }, async (t) => {
  const port = String(await freePort());
  for (const [args, env] of [
    [['--port', port, '--host', '127.0.0.1'], {}],
    [[`--port=${port}`], { PORT: '2' }],
    [[], { PORT: port, HOST: '127.0.0.1' }],
    [['--host', '::1'], { PORT: port }],
  ] as const) {
    const server = startProcess(t, [...LOCAL, ...args], { env });
    for (let code: number | null = 1; code !== 0; ) {
      t.equal(server.child.exitCode, null, server.stderr());
      code = health(server.child.pid);
    }
    server.child.kill('SIGTERM');
    t.equal(await server.ended(), 0);
    t.equal(health(server.child.pid), 1, 'a server that has ended is not healthy');
  }
  t.equal(health(process.pid), 1, 'a process that is no server');
});
