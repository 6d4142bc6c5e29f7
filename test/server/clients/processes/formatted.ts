import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../openapi-types.ts';

/** A text as the formatter of the project writes it. @param file by whose ending it goes */
export async function formatted(text: string, file: string): Promise<string> {
  const child = promisify(execFile)(
    join(ROOT, 'node_modules/.bin/biome'),
    ['format', `--stdin-file-path=${file}`],
    { cwd: ROOT, maxBuffer: 1e8 },
  );
  child.child.stdin?.end(text);
  return (await child).stdout;
}
