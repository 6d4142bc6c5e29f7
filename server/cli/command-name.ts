import { join, relative } from 'node:path';
import { MODULE_ENDING } from '../config/module-ending.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** Whether this program runs from its sources, and not from the package. */
export const IS_CHECKOUT = MODULE_ENDING === '.ts';

/** How a shell in the working directory calls this program: the one spelling of messages and pages. */
export function commandName(): string {
  if (!IS_CHECKOUT) return 'chunksmith';
  const path = relative('', CHECKOUT);
  return `npm ${path === '' ? '' : `--prefix ${quoted(path)} `}run -s chunksmith --`;
}

/** The Node that a checkout has among its packages, if that runs this program: others may be too old. */
export function nodeName(): string {
  const path = relative(CHECKOUT, process.execPath);
  return IS_CHECKOUT && path.startsWith('node_modules') ? quoted(relative('', process.execPath)) : 'node';
}

/** A word of a shell. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
