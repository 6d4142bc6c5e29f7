import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { page, runHere } from '../../pages/programs.ts';
import { needs } from '../../support/here.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { ROOT } from './openapi-types.ts';

/** The programs in JavaScript that the pages of the clients show print what the pages say. */

const USED = [
  ...(['chunker/auto', 'chunker/markdown', 'chunker/recursive', 'chunker/sentence'] as const),
  ...(['refinery/context', 'refinery/embeddings', 'embedding/static', 'tokenizer/tiktoken'] as const),
];
const PROGRAM = /^```js\n([\s\S]*?)^```\n\n```console\n\$ node (\S+)\n([\s\S]*?)^```$/gm;

for (const file of ['README.md', 'FROM-CHONKIE.md']) {
  t.test(file, needs(...USED), async (t) => {
    const text = page(join('server/clients', file));
    const { url } = await startServer(t);
    // As if it was installed there.
    const folder = await temporaryFolder(t);
    await mkdir(join(folder, 'node_modules/@llamaindex'), { recursive: true });
    for (const [name, place] of [
      ['chunksmith', ROOT],
      ['@llamaindex/core', join(ROOT, 'node_modules/@llamaindex/core')],
    ] as const)
      await symlink(place, join(folder, 'node_modules', name));
    const programs = [...text.matchAll(PROGRAM)];
    t.equal(programs.length, text.match(/^```js$/gm)?.length, 'each has its output');
    for (const [, source = '', name = '', printed] of programs)
      t.equal(await runHere(t, source.replace('http://localhost:8000', url), folder), printed, name);
  });
}

t.test('the version is the same in the Python client, and the changelog has it', async (t) => {
  const { version } = JSON.parse(page('package.json')) as { version: string };
  t.match(page('server/clients/python/pyproject.toml'), `\nversion = "${version}"\n`);
  t.match(page('server/clients/python/chunksmith/__init__.py'), `\n__version__ = "${version}"\n`);
  t.match(page('CHANGELOG.md'), `\n## ${version}\n`);
});
