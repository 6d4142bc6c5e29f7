import { once } from 'node:events';
import { argv, stdout } from 'node:process';
import { jsonLines } from './data.ts';

/** Entry of a process: generate-process.ts <bytes> <characters of a document>. Writes JSON Lines to standard output. */
const [, , bytes = '', length = ''] = argv;
for (const piece of jsonLines(Number(bytes), Number(length))) {
  if (!stdout.write(piece)) await once(stdout, 'drain');
}
