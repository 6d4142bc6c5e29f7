import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../support/server.ts';
import { MADE_UP } from './made-up-checkout.ts';
import { trim } from './trim.ts';

/** What `npm run trim` deletes, and what it keeps; processes/trim.test.ts has the command itself. */

const SERVER = `import Fastify from 'fastify';
import { thing } from 'of-both/thing.js';
const { default: pino } = await import('pino');
/* import { x } from 'of-drop'; */ export const text = "from 'of-drop'";
`;
const DEPENDENCIES = { 'of-both': '1', 'of-drop': '1', 'of-nobody': '1', fastify: '1', pino: '1' };

async function makeCheckout(t: Test, more: Readonly<Record<string, string>> = {}, imports = '') {
  const root = await temporaryFolder(t, {
    ...MADE_UP,
    'server/main.ts': SERVER + imports,
    'package.json': JSON.stringify({ dependencies: { ...DEPENDENCIES, ...more } }),
  });
  const listed = (folder: string) => readdir(join(root, folder));
  const dependencies = async () =>
    Object.keys(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).dependencies);
  return { root, listed, dependencies };
}

t.test('trimming deletes plugins, their tests and their packages, and no others', async (t) => {
  const { root, listed, dependencies } = await makeCheckout(t);
  const folders = ['plugins/chunkers/drop', 'plugins/tokenizers/letters', 'test/plugins/chunkers/drop'];
  t.same(await trim(root, ['keep', 'units']), { folders, packages: ['of-drop', 'of-nobody'] });
  t.same(await listed('plugins/chunkers'), ['keep']);
  t.same(await listed('plugins/tokenizers'), ['units']);
  t.same((await listed('test/plugins/chunkers')).sort(), ['keep', 'shared.ts']);
  const needed = ['of-both', 'fastify', 'pino'];
  t.same(await dependencies(), needed, 'a comment and a text that speak of a package do not keep it');
});

t.test('the kinds that a kept plugin uses are kept whole if none of them is named', async (t) => {
  const { root, listed } = await makeCheckout(t);
  await trim(root, ['keep']);
  t.same(await listed('plugins/tokenizers'), ['letters', 'units']);
});

t.test('what opens buckets stays if it is asked for', async (t) => {
  const sdk = '@aws-sdk/client-s3';
  for (const buckets of [false, true]) {
    const { root, dependencies } = await makeCheckout(t, { [sdk]: '1' }, `await import('${sdk}');\n`);
    await trim(root, ['keep'], { buckets });
    t.equal((await dependencies()).includes(sdk), buckets);
  }
});

t.test('corpora go with their tests if they are not wanted', async (t) => {
  const { root } = await makeCheckout(t);
  for (const room of ['server/corpora', 'test/server/corpora'])
    await mkdir(join(root, room), { recursive: true });
  t.same((await trim(root, [], { corpora: false })).folders, ['server/corpora', 'test/server/corpora']);
  t.notOk(existsSync(join(root, 'server/corpora')));
});

t.test('without names it removes what a folder that was deleted by hand has left behind', async (t) => {
  const { root, listed } = await makeCheckout(t);
  await rm(join(root, 'plugins/chunkers/drop'), { recursive: true });
  const { folders, packages } = await trim(root, []);
  t.same(folders, ['test/plugins/chunkers/drop']);
  t.ok(packages.includes('of-drop'));
  t.same(await listed('plugins/chunkers'), ['keep']);
  t.same(await trim(root, []), { folders: [], packages: [] });
});
