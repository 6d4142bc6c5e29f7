import { freePort, startProcess } from '../support/process.ts';
import { type Cleanup, clientFor } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A server in a process of its own that logs no requests. */
export type SoakServer = Awaited<ReturnType<typeof startSoakServer>>;

/**
 * Starts a server on a free port of this machine, and waits until it answers.
 *
 * @param file the entry of its program; by default the one of this checkout
 */
export async function startSoakServer(t: Cleanup, args: readonly string[], file?: string) {
  const port = await freePort();
  const local = ['--host', '127.0.0.1', '--port', String(port), '--log-level', 'warning'];
  const begin = performance.now();
  const entry = file === undefined ? {} : { entry: [file] };
  const { child, stdout, stderr, ended } = startProcess(t, [...local, ...args], entry);
  const client = clientFor(`http://127.0.0.1:${port}`);
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The server ended: ${stdout()}${stderr()}`);
    return client.get('/health').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  return {
    client,
    pid: child.pid as number,
    /** Milliseconds from the start of the process to its first answer. */
    startMs: performance.now() - begin,
    async stop() {
      child.kill('SIGTERM');
      await ended();
    },
  };
}
