import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { hold } from '../../core/hold.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds to wait after the last change, because an editor or `plugin new` writes several files. */
const SETTLED = 200;
/** Paths whose changes are ignored: npm packages, and hidden files of tools and editors. */
const IGNORED = /(^|[\\/])(node_modules|\.[^\\/]*)([\\/]|$)/;

/**
 * Runs the server in a child process, and restarts it when a source file or a plugin changes, or a plugin is
 * created. Node's own `--watch` may start the new server while the old one still uses the port.
 *
 * @param folders additional folders of plugins to watch
 */
export function reload(folders: readonly string[]): void {
  const server = superviseServer();
  let settling: NodeJS.Timeout | undefined;
  const change = () => {
    clearTimeout(settling);
    settling = setTimeout(server.restart, SETTLED);
  };
  const own = ['core', 'plugins', 'server'].map((folder) => join(ROOT, folder));
  for (const folder of [...own, ...folders]) watchFolder(folder, change);
  server.restart();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.end(signal));
}

function watchFolder(folder: string, onChange: () => void): void {
  const look = (_event: unknown, path: string | null) => {
    if (path === null || !IGNORED.test(path)) onChange();
  };
  // An error, for example because the folder was removed, also counts as a change.
  hold(watch(folder, { recursive: true }, look), onChange);
}

function superviseServer() {
  const args = [...process.argv.slice(1), '--no-reload'];
  let running: ChildProcess | undefined;
  let isEnding = false;
  let isStale = false;
  const start = () => {
    isStale = false;
    const child = hold(spawn(process.execPath, args, { stdio: 'inherit' }), (error) =>
      console.error(`The server cannot be started: ${error.message}`),
    );
    running = child;
    child.on('exit', (code) => {
      running = undefined;
      if (isEnding) process.exit(code ?? 0);
      if (isStale) start();
      else console.error('The server has stopped; it restarts when a file changes.');
    });
  };
  return {
    restart() {
      if (running === undefined) return start();
      // Sends only one signal: a second signal would end the server without finishing its requests.
      if (!isStale && !isEnding) running.kill('SIGTERM');
      isStale = true;
    },
    end(signal: NodeJS.Signals) {
      if (running === undefined) process.exit(0);
      if (!isStale || isEnding) running.kill(signal);
      isEnding = true;
    },
  };
}
