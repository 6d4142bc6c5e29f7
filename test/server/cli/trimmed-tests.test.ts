import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { trim } from '../../../server/cli/trim.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PARTS = ['core', 'plugins', 'server', 'test/plugins', 'test/support', 'test/core', 'package.json'];
const SHARED = 'test/core/engine/windows.test.ts';

const folderOf = (test: string) => dirname(test).replace('test/', '');
/** A test file of some plugin that is in this checkout, and the plugin's folder. */
const OWN = globSync('test/plugins/*/*/*.test.ts', { cwd: ROOT })
  .sort()
  .find((test) => existsSync(join(ROOT, folderOf(test))));
const skip = OWN === undefined && 'no plugin of this checkout has tests';
const FOLDER = folderOf(OWN ?? '');

t.test('the tests of a plugin whose folder was deleted are skipped, and no others', { skip }, async (t) => {
  const checkout = copyOfTheCheckout(t);
  rmSync(join(checkout, FOLDER), { recursive: true });
  t.ok(runTest(t, checkout, OWN as string).includes(`1..0 # SKIP ${FOLDER} is not in this checkout`));
  t.match(runTest(t, checkout, SHARED), /^1\.\.\d+$/m);
});

t.test('trimming without names deletes the tests that were left behind', { skip }, async (t) => {
  const checkout = copyOfTheCheckout(t);
  await trim(checkout, []);
  rmSync(join(checkout, FOLDER), { recursive: true });
  const { folders } = await trim(checkout, []);
  t.same(folders, [`test/${FOLDER}`]);
  t.notOk(existsSync(join(checkout, 'test', FOLDER)));
  t.same((await trim(checkout, [])).folders, []);
});

t.test('trimming deletes the tests of what it deletes, and no others', { skip }, async (t) => {
  const checkout = copyOfTheCheckout(t);
  const before = testFoldersIn(checkout);
  await trim(checkout, [`${kindOf(FOLDER)}/${basename(FOLDER)}`]);
  const kept = before.filter((folder) => existsSync(join(checkout, folder.replace('test/', ''))));
  t.same(testFoldersIn(checkout), kept);
  t.ok(kept.includes(`test/${FOLDER}`));
});

const testFoldersIn = (checkout: string) => globSync('test/plugins/*/*', { cwd: checkout }).sort();
const kindOf = (folder: string) => basename(dirname(folder)).replace(/ies$/, 'y').replace(/s$/, '');

function copyOfTheCheckout(t: Test): string {
  const folder = t.testdir({});
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs one file of tests as `npm test` does, and gives what it prints; it has to pass. */
function runTest(t: Test, checkout: string, file: string): string {
  const { NODE_OPTIONS: _, TAP: __, ...env } = process.env;
  const args = ['--import=./test/support/skip-without-plugin.ts', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: checkout,
    encoding: 'utf8',
    env,
  });
  t.equal(status, 0, stdout + stderr);
  return stdout;
}
