import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../support/server.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What `npm ci` prints in a folder whose package wants a Node that nobody has. */
async function printedByInstall(t: Parameters<typeof temporaryFolder>[0], npmrc: string): Promise<string> {
  const own = { name: 'a', version: '1.0.0', engines: { node: '>=1000' } };
  const lock = { name: 'a', version: '1.0.0', lockfileVersion: 3, packages: { '': own } };
  const cwd = await temporaryFolder(t, {
    '.npmrc': npmrc,
    'package.json': JSON.stringify(own),
    'package-lock.json': JSON.stringify(lock),
  });
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], {
    cwd,
    env: { PATH, HOME },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout + stderr;
}

t.test('npm ci says nothing of the Node that runs npm, since the service brings its own', async (t) => {
  t.match(await printedByInstall(t, ''), /EBADENGINE/, 'by default it does');
  t.notMatch(await printedByInstall(t, readFileSync(join(ROOT, '.npmrc'), 'utf8')), /EBADENGINE|warn/);
});
