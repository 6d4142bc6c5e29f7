import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { ROOT } from '../../support/openapi-types.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** The programs in JavaScript that the pages of the clients show print what the pages say. */

const USED = ['chunker/auto', 'chunker/markdown', 'chunker/recursive', 'chunker/sentence'] as const;
const PROGRAM = /^```js\n([\s\S]*?)^```\n\n```console\n\$ node (\S+)\n([\s\S]*?)^```$/gm;

for (const file of ['README.md', 'FROM-CHONKIE.md']) {
  t.test(file, needs(...USED), async (t) => {
    const page = await readFile(join(ROOT, 'server/clients', file), 'utf8');
    const { url } = await startServer(t);
    const cwd = await temporaryFolder(t);
    // As if it was installed there.
    await mkdir(join(cwd, 'node_modules/@llamaindex'), { recursive: true });
    await symlink(ROOT, join(cwd, 'node_modules/chunksmith'));
    await symlink(join(ROOT, 'node_modules/@llamaindex/core'), join(cwd, 'node_modules/@llamaindex/core'));
    const programs = [...page.matchAll(PROGRAM)];
    t.equal(programs.length, page.match(/^```js$/gm)?.length, 'each has its output');
    for (const [, source = '', name = '', printed] of programs) {
      await writeFile(join(cwd, name), source.replace('http://localhost:8000', url));
      const args = ['--conditions=chunksmith-source', name];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: {} });
      t.equal(stdout, printed, name);
    }
  });
}
