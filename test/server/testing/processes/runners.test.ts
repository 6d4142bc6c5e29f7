import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { chunker, pluginsFolder } from '../../../support/plugins.ts';

/** Authors run `testPlugin` with the runner that they have, on a plugin outside the project. */

const ROOT = join(import.meta.dirname, '../../../..');

/** What is installed with the plugins: the runners, and the package, which takes its sources for its build. */
async function install(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'chunksmith');
  await mkdir(own, { recursive: true });
  const manifest = { name: 'chunksmith', type: 'module', exports: { './testing': './testing.js' } };
  await writeFile(join(own, 'package.json'), JSON.stringify(manifest));
  const sources = pathToFileURL(join(ROOT, 'server/testing/index.ts')).href;
  await writeFile(join(own, 'testing.js'), `export * from '${sources}';\n`);
  for (const name of ['tap', 'vitest']) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
}

/** The test that the guide for authors shows. */
const guide = readFileSync(join(ROOT, 'plugins/CHECKING.md'), 'utf8');
const shown = /^```js\n(\/\/ my-plugins\/section\/section\.test\.js\n[\s\S]*?)^```$/m.exec(guide)?.[1] ?? '';

const testFile = (runner: string): string => shown.replace("'node:test'", `'${runner}'`);

const RUNNERS = [
  { runner: 'node:test', command: ['--test'], failed: /✖ chunker\/loses: nothing lost/ },
  {
    runner: 'vitest',
    command: [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'],
    failed: /[×✗] chunker\/loses: nothing lost|FAIL .*chunker\/loses: nothing lost/,
  },
  { runner: 'tap', command: [], failed: /not ok \d+ - chunker\/loses: nothing lost/ },
];

const manifest = { example: { text: 'T' }, guarantees: { lossless: true } };
const folder = await pluginsFolder(
  t,
  { 'package.json': '{"type":"module"}' },
  chunker('keeps', 'return [{ start: 0, end: text.length }];', manifest),
  chunker('loses', 'return [{ start: 0, end: 1 }];', manifest),
  { 'keeps/README.md': '# keeps\n', 'loses/README.md': '# loses\n' },
);
await install(folder);

for (const { runner, command, failed } of RUNNERS) {
  t.test(`under ${runner} each group of promises is a test`, async (t) => {
    const run = async (name: string) => {
      const file = `${runner.replace(':', '-')}.test.js`;
      await writeFile(join(folder, name, file), testFile(runner));
      const { PATH = '', HOME = '' } = process.env;
      const env = { PATH, HOME, NO_COLOR: '1', CI: 'true' };
      const child = spawn(process.execPath, [...command, join(name, file)], { cwd: folder, env });
      const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
      const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      return { status, printed: stdout + stderr };
    };
    const [good, bad] = [await run('keeps'), await run('loses')];
    t.equal(good.status, 0, good.printed);
    t.match(good.printed, runner === 'vitest' ? /13 passed \| 2 skipped/ : /chunker\/keeps: growth/);
    t.equal(bad.status, 1, bad.printed);
    t.match(bad.printed, failed);
    t.match(bad.printed, /found: the text from 1 to \d+ is lost/);
  });
}
