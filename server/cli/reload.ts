import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { hold } from '../../core/hold.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds without a change after which the server starts again: an editor, and `plugin new`, write several files. */
const SETTLED = 200;
/** What nobody edits: packages, and what tools and editors hide. */
const IGNORED = /(^|[\\/])(node_modules|\.[^\\/]*)([\\/]|$)/;

/**
 * Runs the server in a process of its own that starts again when a source file or a plugin changes, or a folder with a
 * plugin is made. Node's own `--watch` may begin a second start within the first, which then finds its port taken.
 *
 * @param folders further folders of plugins, which are watched too
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

/** Calls back for whatever changes in a folder, also in folders that are made later. */
function watchFolder(folder: string, onChange: () => void): void {
  const look = (_event: unknown, path: string | null) => {
    if (path === null || !IGNORED.test(path)) onChange();
  };
  // A folder that goes while it is looked into is a change, too.
  hold(watch(folder, { recursive: true }, look), onChange);
}

interface Supervised {
  /** Starts it, or ends it and starts it again. */
  restart(): void;
  /** Ends it, and this process with its exit code. */
  end(signal: NodeJS.Signals): void;
}

function superviseServer(): Supervised {
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
      else console.error('The server has ended; it starts again when a file changes.');
    });
  };
  return {
    restart() {
      if (running === undefined) return start();
      // A second signal would end it at once, with requests in flight.
      if (!isStale && !isEnding) running.kill('SIGTERM');
      isStale = true;
    },
    end(signal) {
      if (running === undefined) process.exit(0);
      if (!isStale || isEnding) running.kill(signal);
      isEnding = true;
    },
  };
}
