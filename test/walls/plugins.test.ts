import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { KINDS, type Manifest } from '../../core/contracts/manifest.ts';
import { problemsOfReadme } from '../../server/testing/checks/steps.ts';
import { importsOf, packageOf } from '../tools/import-scanner.ts';
import { pluginFolderOf, ROOT, SOURCES } from './sources.ts';

const PLUGINS = [...new Set([...SOURCES.keys()].flatMap((file) => pluginFolderOf(file) ?? []))];

async function manifestOf(folder: string): Promise<Manifest> {
  return ((await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest }).default;
}

for (const folder of PLUGINS) {
  t.test(`${folder} is complete`, async (t) => {
    for (const file of ['manifest.ts', 'index.ts', 'README.md'])
      t.ok(existsSync(join(ROOT, folder, file)), file);
    const { name, kind, example } = await manifestOf(folder);
    const kinds = kind === 'refinery' ? 'refineries' : `${kind}s`;
    t.ok(KINDS.includes(kind));
    t.equal(folder, `plugins/${kinds}/${name}`, 'it stands in the folder of its kind');
    t.ok(example !== undefined || !['chunker', 'refinery'].includes(kind), 'it has an example');
  });

  t.test(`${folder} declares the packages that it imports, and no others`, async (t) => {
    const own = [...SOURCES].filter(([file]) => pluginFolderOf(file) === folder);
    const imports = own.flatMap(([, source]) => importsOf(source)).filter(({ kind }) => kind !== 'type');
    const imported = new Set(imports.flatMap(({ specifier }) => packageOf(specifier) ?? []));
    const declared = (await manifestOf(folder)).needs?.packages ?? [];
    t.same([...imported].sort(), [...declared].sort());
  });

  t.test(`${folder} has a README that names it and each of its options`, async (t) => {
    const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
    t.same(problemsOfReadme(await manifestOf(folder), readme), []);
  });
}
