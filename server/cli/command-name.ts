import { join, relative } from 'node:path';
import { MODULE_ENDING } from '../config/module-ending.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** Whether this program runs from its sources, not from the package. */
export const IS_CHECKOUT = MODULE_ENDING === '.ts';

/** The command in messages and pages: how a shell in the working directory calls this program. */
export function commandName(): string {
  if (!IS_CHECKOUT) return 'chunksmith';
  const path = relative('', CHECKOUT);
  return `npm ${path === '' ? '' : `--prefix ${quoted(path)} `}run -s chunksmith --`;
}

/** The Node among a checkout's packages, if it runs this program; other Nodes may be too old. */
export function nodeName(): string {
  const path = relative(CHECKOUT, process.execPath);
  return IS_CHECKOUT && path.startsWith('node_modules') ? quoted(relative('', process.execPath)) : 'node';
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
