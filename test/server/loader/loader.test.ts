import { dirname } from 'node:path';
import t from 'tap';
import type { Disk } from '../../../server/loader/disk.ts';
import { importFactory } from '../../../server/loader/import-factory.ts';
import { loadRegistry } from '../../../server/loader/loader.ts';

const ROOT = '/plugins';

/** What a file exports by default, or a function that throws when it is imported. */
type Files = Readonly<Record<string, unknown>>;

/** A disk that holds the given files, and installed packages; it notes what is imported. */
function diskOf(files: Files, packages: readonly string[] = []): Disk & { readonly imported: string[] } {
  const paths = Object.keys(files);
  const imported: string[] = [];
  return {
    imported,
    async subfolders(folder) {
      const inside = paths.filter((path) => path.startsWith(`${folder}/`));
      if (inside.length === 0) throw new Error(`ENOENT: ${folder}`);
      const names = inside.map((path) => path.slice(folder.length + 1).split('/'));
      const folders = names.filter((parts) => parts.length > 1).map(([name]) => `${folder}/${name}`);
      return [...new Set(folders)].sort();
    },
    exists: (path) => paths.includes(path),
    async importModule(file) {
      imported.push(file);
      const content = files[file];
      return { default: content instanceof Error ? await Promise.reject(content) : content };
    },
    hasPackage: (name) => packages.includes(name),
    packageFolder: (name) => (packages.includes(name) ? `/node_modules/${name}` : undefined),
  };
}

const factory = () => ({});

/** The files of a plugin in a folder. */
function plugin(folder: string, manifest: object = {}): Files {
  const name = folder.split('/').at(-1);
  return {
    [`${folder}/manifest.ts`]: { kind: 'chunker', name, summary: 'For a test.', ...manifest },
    [`${folder}/index.ts`]: factory,
  };
}

const load = (disk: Disk, only: string[] = [], env: Record<string, string> = {}) =>
  loadRegistry({ folders: [ROOT], only, env }, disk);

t.test('plugins are found in folders of their own and in folders of a kind', async (t) => {
  const disk = diskOf({
    ...plugin(`${ROOT}/flat`),
    ...plugin(`${ROOT}/chunkers/nested`),
    ...plugin(`${ROOT}/chunkers/other`, { kind: 'refinery' }),
    [`${ROOT}/.git/config/x`]: '',
    [`${ROOT}/node_modules/thing/index.js`]: '',
    [`${ROOT}/README.md`]: '',
  });
  const registry = await load(disk);
  t.same(
    registry.all.map(({ id }) => id),
    ['chunker/flat', 'chunker/nested', 'refinery/other'],
  );
  t.equal(registry.find('chunker', 'nested')?.file, `${ROOT}/chunkers/nested/manifest.ts`);
});

t.test('only manifests are imported until a plugin is used', async (t) => {
  const disk = diskOf({ ...plugin(`${ROOT}/a`), ...plugin(`${ROOT}/b`) });
  const registry = await load(disk);
  t.same(disk.imported.map(dirname).sort(), [`${ROOT}/a`, `${ROOT}/b`]);
  t.ok(disk.imported.every((file) => file.endsWith('/manifest.ts')));
  t.equal(await importFactory(registry.require('chunker', 'a'), disk), factory);
  t.equal(disk.imported.at(-1), `${ROOT}/a/index.ts`);
});

t.test('TypeScript is taken before JavaScript', async (t) => {
  const disk = diskOf({ ...plugin(`${ROOT}/a`), [`${ROOT}/a/index.js`]: 'not this one' });
  const registry = await load(disk);
  t.equal(await importFactory(registry.require('chunker', 'a'), disk), factory);
});

t.test('what a plugin needs is looked for where it stands', async (t) => {
  const needs = { packages: ['here', 'gone'], env: ['KEY', 'EMPTY'], files: ['weights.bin', 'no.bin'] };
  const disk = diskOf({ ...plugin(`${ROOT}/a`, { needs }), [`${ROOT}/a/weights.bin`]: '' }, ['here']);
  const registry = await load(disk, [], { KEY: 'x', EMPTY: '' });
  t.match(registry.all[0]?.missing, [/npm install gone"/, /variable EMPTY/, /file no\.bin/]);
  t.equal(registry.all[0]?.missing.length, 3);
});

t.test('a package is looked for where its import looks, and not where the server stands', async (t) => {
  const disk = diskOf(plugin(`${ROOT}/a`, { needs: { packages: ['ours'] } }));
  const atTheServer = { ...disk, hasPackage: (_name: string, file: string) => !file.startsWith(ROOT) };
  t.match((await load(atTheServer)).all[0]?.missing, [/npm install ours" in the plugin's folder/]);
});

t.test('a folder that cannot be used stops the start with its path and the reason', async (t) => {
  const refused: [files: Files, message: string][] = [
    [{}, `${ROOT}: the folder of plugins cannot be read: ENOENT: ${ROOT}.`],
    [
      { [`${ROOT}/a/index.ts`]: factory },
      `${ROOT}/a: there is no manifest.ts, manifest.js or manifest.mjs in it.`,
    ],
    [{ [`${ROOT}/a/manifest.ts`]: {} }, `${ROOT}/a: there is no index.ts, index.js or index.mjs in it.`],
    [
      { ...plugin(`${ROOT}/a`), [`${ROOT}/a/manifest.ts`]: new Error('no luck.') },
      `${ROOT}/a/manifest.ts: no luck.`,
    ],
    [
      { ...plugin(ROOT), ...plugin(`${ROOT}/a`) },
      `${ROOT}/manifest.ts: this is a plugin itself; give the folder that it stands in, /.`,
    ],
    [plugin(`${ROOT}/a`, { name: 'b' }), `${ROOT}/a/manifest.ts: its name is "b", but its folder is "a".`],
  ];
  for (const [files, message] of refused) {
    await t.rejects(load(diskOf(files)), { code: 'malformed_plugin', message }, message);
  }
});

t.test('an index without a function is the failure of a request, without a path', async (t) => {
  const disk = diskOf({ ...plugin(`${ROOT}/a`), [`${ROOT}/a/index.ts`]: {} });
  const registry = await load(disk);
  await t.rejects(importFactory(registry.require('chunker', 'a'), disk), {
    code: 'plugin_failed',
    message: 'The chunker "a" failed: the default export of its index is not a function.',
  });
});

t.test('--plugins takes what the named plugins use, step by step', async (t) => {
  const disk = diskOf({
    ...plugin(`${ROOT}/top`, { uses: ['chunker/middle', 'tokenizer'] }),
    ...plugin(`${ROOT}/middle`, { uses: ['refinery/end'] }),
    ...plugin(`${ROOT}/end`, { kind: 'refinery' }),
    ...plugin(`${ROOT}/words`, { kind: 'tokenizer' }),
    ...plugin(`${ROOT}/letters`, { kind: 'tokenizer' }),
    ...plugin(`${ROOT}/unused`),
  });
  const loaded = async (...only: string[]) =>
    (await load(disk, only)).all.map(({ manifest }) => manifest.name);
  t.same(await loaded('top'), ['middle', 'top', 'end', 'letters', 'words'], 'a kind is taken whole');
  t.same(await loaded('chunker/top', 'words'), ['middle', 'top', 'end', 'words'], 'unless one is named');
  t.same(await loaded('unused'), ['unused']);
  await t.rejects(load(disk, ['tpo']), {
    code: 'unknown_plugin',
    message: /"tpo"; known are .*chunker\/top/,
  });
});
