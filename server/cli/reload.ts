import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MODULE_ENDING } from '../module-ending.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Runs the server in a process of its own that starts again when a source file or a plugin changes.
 *
 * @param folders further folders of plugins, which are watched too
 */
export function reload(args: readonly string[], folders: readonly string[]): void {
  const own = ['core', 'plugins', 'server'].map((folder) => join(ROOT, folder));
  const watched = [...own, ...folders].map((folder) => `--watch-path=${folder}`);
  const rest = args.filter((arg) => !arg.startsWith('--reload'));
  const child = spawn(process.execPath, [...watched, join(ROOT, 'server', `main${MODULE_ENDING}`), ...rest], {
    stdio: 'inherit',
    env: { ...process.env, RELOAD: 'false' },
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 0));
}
