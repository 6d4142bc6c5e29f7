import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';
import { MADE_UP } from '../made-up-checkout.ts';
import { trim } from '../trim.ts';

/** `npm run trim` in checkouts of their own. */

const ROOT = join(import.meta.dirname, '../../..');

/** Copies parts of this checkout. */
async function checkoutWith(t: Test, parts: readonly string[], files: Record<string, string> = {}) {
  const checkout = await temporaryFolder(t, files);
  for (const part of parts) cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

function run(checkout: string, ...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
}

t.test('a trimmed checkout starts, keeps what was asked for and answers 404 for the rest', async (t) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, 'of-both': '1.0.0', 'of-drop': '1.0.0' };
  const files = { ...MADE_UP, 'package.json': JSON.stringify({ ...manifest, dependencies }) };
  const checkout = await checkoutWith(
    t,
    ['core', 'plugins/toolkit', 'server', 'test/tools', '.gitignore'],
    files,
  );
  const dropped = join(checkout, 'plugins/chunkers/drop');
  const trimmed = (...args: string[]) => run(checkout, 'test/tools/trim.ts', ...args);

  const unknown = trimmed('kep');
  t.match(unknown, { status: 2, stderr: /There is no plugin "kep"[\s\S]*chunker\/keep/ });
  execFileSync('git', ['init', '--quiet'], { cwd: checkout });
  t.match(trimmed('keep,units'), { status: 2, stderr: 'uncommitted' });
  t.ok(existsSync(dropped), 'uncommitted work is not touched without --force');
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'core.hooksPath='];
  execFileSync('git', ['add', '--all'], { cwd: checkout });
  execFileSync('git', [...git, 'commit', '--quiet', '--message', 'x'], { cwd: checkout });
  const listed = execFileSync('git', ['ls-files'], { cwd: checkout });
  t.notMatch(listed, 'node_modules', 'a link is ignored as well');
  const { status, stdout } = trimmed('keep,units');
  t.equal(status, 0);
  t.match(stdout, /^node_modules is a symbolic link: /m);
  t.match(trimmed('keep,units', '--force'), { status: 0, stdout: /^Nothing to remove/ });
  for (const removed of ['plugins/chunkers/drop', 'test/plugins/chunkers/drop', 'the dependency of-drop'])
    t.match(stdout, `removed ${removed}\n`);
  t.notOk(existsSync(dropped));
  const again = trimmed();
  t.match(again, { status: 0, stdout: /^Nothing to remove/ }, 'without names it asks for no commit');
  const left = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).dependencies;
  for (const name of ['of-both', 'ajv', 'pino', 'fastify']) t.ok(name in left, name);

  // Nobody has installed what the made-up plugin says it needs.
  const kept = join(checkout, 'plugins/chunkers/keep/manifest.js');
  writeFileSync(kept, readFileSync(kept, 'utf8').replace('"of-both"', ''));
  const args = ['--host', '127.0.0.1', '--port', '0', '--workers', '0'];
  const server = startProcess(t, args, { cwd: checkout, entry: [join(checkout, 'server/main.ts')] });
  const { post } = await server.listening();
  t.equal((await post('/v1/chunk/keep', { text: 'kept' })).status, 200);
  t.equal((await post('/v1/chunk/drop', { text: 'gone' })).status, 404);
  const refused = await post('/v1/chunk/keep', { text: 'x', tokenizer: 'letters' });
  t.equal(refused.status, 400, 'a tokenizer that was removed is unknown');
});

const PARTS = ['core', 'plugins', 'server', 'package.json'];
/** A test of no plugin. */
const [SHARED = ''] = globSync('test/core/engine/*.test.ts', { cwd: ROOT }).sort();
const folderOf = (test: string) => dirname(test).replace('test/', '');
/** A test file of some plugin that is in this checkout, and the plugin's folder. */
const OWN = globSync('test/plugins/*/*/*.test.ts', { cwd: ROOT })
  .sort()
  .find((test) => existsSync(join(ROOT, folderOf(test))));
const skip = OWN === undefined && 'no plugin of this checkout has tests';
const FOLDER = folderOf(OWN ?? '');

t.test('tests of a plugin whose folder was deleted are skipped, and no others', { skip }, async (t) => {
  const checkout = await checkoutWith(t, [...PARTS, 'test']);
  rmSync(join(checkout, FOLDER), { recursive: true });
  const { status, stdout } = run(checkout, 'test/runner/main.ts', OWN as string, SHARED);
  t.equal(status, 0, stdout);
  t.match(stdout, new RegExp(`ok .* ${SHARED}\n`));
  t.match(stdout, `1 skipped (1: ${FOLDER} is not in this checkout)`);

  const { folders } = await trim(checkout, []);
  t.same(folders, [`test/${FOLDER}`], 'trimming without names deletes what was left behind');
  t.notOk(existsSync(join(checkout, 'test', FOLDER)));
  t.same((await trim(checkout, [])).folders, []);
});
