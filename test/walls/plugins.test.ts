import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';
import { KINDS, type Manifest } from '../../core/contracts/manifest.ts';
import { importsOf, packageOf } from '../../server/cli/import-scanner.ts';
import { problemsOfReadme } from '../../server/testing/checks/files.ts';
import { pluginFolderOf, ROOT, SOURCES } from './sources.ts';

const PLUGINS = [...new Set([...SOURCES.keys()].flatMap((file) => pluginFolderOf(file) ?? []))];

async function manifestOf(folder: string): Promise<Manifest> {
  return ((await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest }).default;
}

for (const folder of PLUGINS) {
  t.test(`${folder} is complete`, async (t) => {
    for (const file of ['manifest.ts', 'index.ts', 'README.md'])
      t.ok(existsSync(join(ROOT, folder, file)), file);
    const manifest = await manifestOf(folder);
    const [kinds, name] = [basename(dirname(folder)), basename(folder)];
    t.equal(manifest.name, name);
    t.ok(KINDS.includes(manifest.kind));
    const plural = manifest.kind === 'refinery' ? 'refineries' : `${manifest.kind}s`;
    t.equal(kinds, plural, 'it stands in the folder of its kind');
    if (['chunker', 'refinery'].includes(manifest.kind)) t.ok(manifest.example, 'it has an example');
  });

  t.test(`${folder} declares the packages that it imports, and no others`, async (t) => {
    const imported = [...SOURCES]
      .filter(([file]) => pluginFolderOf(file) === folder)
      .flatMap(([, source]) => importsOf(source))
      .filter(({ kind }) => kind !== 'type')
      .flatMap(({ specifier }) => packageOf(specifier) ?? []);
    const declared = (await manifestOf(folder)).needs?.packages ?? [];
    t.same([...new Set(imported)].sort(), [...declared].sort());
  });

  t.test(`${folder} has a README that names it and each of its options`, async (t) => {
    const manifest = await manifestOf(folder);
    const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
    t.same(problemsOfReadme(manifest, readme), []);
  });
}
