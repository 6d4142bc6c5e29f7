// Needs chunker/recursive, refinery/overlap, embedding/voyage, tokenizer/tiktoken.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { trim } from '../../../server/cli/trim.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PARTS = [
  'core',
  'plugins',
  'server',
  'test/plugins',
  'test/support',
  'test/core',
  'test/fixtures',
  'package.json',
];

t.test('a test file is skipped if a plugin that it needs was deleted, and run otherwise', async (t) => {
  const checkout = copyOfTheCheckout(t);
  t.match(runTest(checkout, 'test/core/engine/windows.test.ts'), /^1\.\.\d+$/m);
  rmSync(join(checkout, 'plugins/refineries/overlap'), { recursive: true });
  rmSync(join(checkout, 'plugins/embeddings/voyage'), { recursive: true });
  for (const [file, missing] of [
    ['test/plugins/refineries/overlap/overlap.test.ts', 'plugins/refineries/overlap'],
    ['test/plugins/embeddings/hosted.test.ts', 'plugins/embeddings/voyage'],
  ] as const) {
    t.ok(runTest(checkout, file).includes(`1..0 # SKIP ${missing}`), file);
  }
  t.match(runTest(checkout, 'test/core/engine/windows.test.ts'), /^1\.\.\d+$/m, 'the others run as before');
});

t.test('trimming deletes the tests of what it deletes, and no others', async (t) => {
  const checkout = copyOfTheCheckout(t);
  await trim(checkout, ['token', 'recursive']);
  t.same(readdirSync(join(checkout, 'test/plugins/chunkers')), ['recursive']);
  t.ok(existsSync(join(checkout, 'test/plugins/tokenizers/tiktoken')), 'a kind that is used is kept whole');
  t.notOk(existsSync(join(checkout, 'test/plugins/refineries/overlap')));
  t.ok(
    runTest(checkout, 'test/plugins/embeddings/hosted.test.ts').includes('1..0 # SKIP plugins/embeddings/'),
  );
});

function copyOfTheCheckout(t: Test): string {
  const folder = t.testdir({});
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs one file of tests as `npm test` does, and gives what it prints; it has to pass. */
function runTest(checkout: string, file: string): string {
  const { NODE_OPTIONS: _, TAP: __, ...env } = process.env;
  const args = ['--import=./test/support/skip-without-plugins.ts', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: checkout,
    encoding: 'utf8',
    env,
  });
  t.equal(status, 0, stdout + stderr);
  return stdout;
}
