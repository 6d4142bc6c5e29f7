import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { KINDS, type Manifest } from '../../../core/contracts/manifest.ts';
import { isHere } from '../../support/here.ts';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';
import { importsOf } from '../../tools/import-scanner.ts';

/**
 * A plugin outside the tree can do what one inside can: built-in plugins are moved out of an installed package into a folder
 * beside it, where the kit is `chunksmith/kit` and the toolkit `chunksmith/toolkit`, and keep their promises there.
 */

/** One of each kind, as folders of `plugins`, of those that take most of the kit. */
const MOVED = [
  ...['chunkers/markdown', 'refineries/parents', 'readers/text'],
  ...['sinks/qdrant', 'embeddings/static', 'tokenizers/word'],
];
const RUNS = 10;

const ROOT = join(import.meta.dirname, '../../..');
/** How plugins in the tree import the kit, and manifests its schemas; and parts of the toolkit. */
const IMPORT_OF_KIT = /'(?:\.\.\/)+core\/(?:kit|options|fields)\.ts'/g;
const IMPORT_OF_TOOLKIT = /'(?:\.\.\/)+toolkit\/[^']+'/g;

const idOf = (folder: string) => folder.replace('ies/', 'y/').replace('s/', '/');
const moved = MOVED.filter((folder) => isHere(idOf(folder)));

const root = await temporaryFolder(t);
const outside = join(root, 'my-plugins');
const packages = join(root, 'node_modules');
const installed = join(packages, 'chunksmith');

/** The package as it is built, without the plugins that are moved. */
function install(): void {
  mkdirSync(installed, { recursive: true });
  const build = join(ROOT, 'test/tools/build.ts');
  const { status, stderr } = spawnSync(process.execPath, [build, join(installed, 'build')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  for (const folder of moved) rmSync(join(installed, 'build/plugins', folder), { recursive: true });
}

/** Copies a plugin as its author would have it; large files of models are linked. */
function moveOut(folder: string): void {
  const [from, to] = [join(ROOT, 'plugins', folder), join(outside, folder)];
  const models = join(from, 'models');
  cpSync(from, to, { recursive: true, filter: (path) => path !== models });
  if (globSync('models', { cwd: from }).length > 0) symlinkSync(models, join(to, 'models'));
  for (const file of globSync('**/*.ts', { cwd: to, exclude: ['models'] }).map((path) => join(to, path)))
    writeFileSync(file, outsideOf(readFileSync(file, 'utf8')));
}

/** A source text that imports the project by the names of its package. */
function outsideOf(source: string): string {
  return source.replace(IMPORT_OF_KIT, "'chunksmith/kit'").replace(IMPORT_OF_TOOLKIT, "'chunksmith/toolkit'");
}

async function manifestOf(folder: string): Promise<Manifest> {
  return (await import(join(ROOT, 'plugins', folder, 'manifest.ts'))).default;
}

/** What it needs of npm, installed beside it. */
async function installNeeds(folder: string): Promise<void> {
  for (const name of (await manifestOf(folder)).needs?.packages ?? [])
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
}

install();
for (const folder of moved) {
  moveOut(folder);
  await installNeeds(folder);
}

t.test('they are of all kinds, and import nothing of the project but the kit and the toolkit', async (t) => {
  t.same(MOVED.map((folder) => idOf(folder).split('/')[0]).sort(), [...KINDS].sort());
  for (const folder of moved) {
    for (const file of globSync('**/*.ts', { cwd: join(outside, folder), exclude: ['models'] })) {
      const depth = file.split('/').length;
      const leaving = importsOf(readFileSync(join(outside, folder, file), 'utf8')).filter(({ specifier }) =>
        specifier.startsWith('../'.repeat(depth)),
      );
      t.same(leaving, [], `${folder}/${file}`);
    }
  }
});

/** Prints what the suite of its kind has tried of each plugin in a folder. */
const CHECK = `
import { openHarness, SUITES } from 'chunksmith/testing';
const [folder, standIns, runs, ...names] = process.argv.slice(2);
const harness = await openHarness({ pluginsDir: [folder] }, { standIns });
for (const [kind, suite] of Object.entries(SUITES)) {
  for (const plugin of harness.plugins(kind).filter(({ file }) => file.startsWith(folder)))
    console.log(plugin.id + ': ' + (await suite.run(harness, plugin, { runs: Number(runs) })));
}
process.exit();
`;

t.test('they keep their promises in a server without the built-in ones', async (t) => {
  const script = join(root, 'check.js');
  writeFileSync(script, CHECK);
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  const args = [script, outside, join(ROOT, 'test/plugins/sinks'), String(RUNS)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  t.equal(status, 0, stderr);
  for (const folder of moved) t.match(stdout, new RegExp(`^${idOf(folder)}: [1-9]`, 'm'));
});

t.test('a server finds them by --plugins-dir, and answers requests to them', async (t) => {
  const args = ['--port', '0', '--host', '127.0.0.1', '--workers', '0', '--plugins-dir', outside];
  const env = { QDRANT_URL: 'http://127.0.0.1:9' };
  const entry = [join(installed, 'build/server/cli/bin.js'), 'serve'];
  const { child, listening, ended } = startProcess(t, args, { entry, env, cwd: root });
  const { get, post } = await listening();
  const found = (await get('/v1/plugins')).json<{ kind: string; name: string }[]>();
  for (const folder of moved) {
    const { kind, name, example } = await manifestOf(folder);
    const own = found.filter((one) => one.kind === kind && one.name === name);
    t.match(own, [{ origin: 'folder', state: 'ready' }], folder);
    const route = kind === 'chunker' ? 'chunk' : 'refine';
    if (kind === 'chunker' || kind === 'refinery')
      t.equal((await post(`/v1/${route}/${name}`, example)).status, 200, folder);
  }
  child.kill('SIGTERM');
  t.equal(await ended(), 0);
});
