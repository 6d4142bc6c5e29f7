import { join, relative } from 'node:path';
import { MODULE_ENDING } from '../config/module-ending.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** Whether this program runs from its sources, not from the package. */
export const IS_CHECKOUT = MODULE_ENDING === '.ts';

/** The command that calls this program from the working directory, as shown in messages and pages. */
export function commandName(): string {
  if (!IS_CHECKOUT) return 'chunksmith';
  const path = relative('', CHECKOUT);
  return `npm ${path === '' ? '' : `--prefix ${quoted(path)} `}run -s chunksmith --`;
}

/** The `node` command for messages: the checkout's own Node if it runs this program, otherwise `node`. */
export function nodeName(): string {
  const path = relative(CHECKOUT, process.execPath);
  return IS_CHECKOUT && path.startsWith('node_modules') ? quoted(relative('', process.execPath)) : 'node';
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
