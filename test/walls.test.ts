import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import t from 'tap';
import { KINDS, type Manifest } from '../core/contracts.ts';
import { hasComputedImport, type Import, importsOf, packageOf, withoutComments } from './support/imports.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = globSync('{core,plugins,server}/**/*.ts', { cwd: ROOT }).sort();
const SOURCES: Sources = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** Source texts by their paths in the repository. */
type Sources = ReadonlyMap<string, string>;

/** Files that read the environment or the arguments, and why. */
const READERS: Readonly<Record<string, string>> = {
  'server/main.ts': 'the entry of the server',
  'server/compose.ts': 'looks whether the variables are set that plugins need',
  'server/reload.ts': 'hands the environment on to the process that it starts',
  'server/trim.ts': 'the entry of a command of its own',
  'server/readme-table.ts': 'the entry of a command of its own',
};

/** Built-in modules that do no I/O. */
const PURE_BUILT_INS = ['node:buffer', 'node:util'];

/** What a rule says of one import; undefined where it is fine. */
type Rule = (file: string, one: Import) => string | undefined;

function breaches(sources: Sources, rule: Rule): string[] {
  return [...sources].flatMap(([file, source]) =>
    importsOf(source).flatMap((one) => {
      const breach = rule(file, one);
      return breach === undefined ? [] : [`${file} imports ${one.specifier}: ${breach}`];
    }),
  );
}

/** The path that a relative import leads to, in the repository. */
const targetOf = (file: string, { specifier }: Import) =>
  specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;

const coreRule: Rule = (file, one) => {
  if (!file.startsWith('core/')) return undefined;
  const target = targetOf(file, one);
  if (target !== undefined)
    return target.startsWith('core/') ? undefined : 'core imports nothing else of ours';
  if (one.specifier.startsWith('node:')) {
    return PURE_BUILT_INS.includes(one.specifier) ? undefined : 'core does no I/O';
  }
  const isAllowed =
    one.specifier === 'awilix' || (one.specifier === 'json-schema-to-ts' && one.kind === 'type');
  return isAllowed ? undefined : 'core takes no packages';
};

const pluginRule: Rule = (file, one) => {
  const folder = /^plugins\/[^/]+\/[^/]+\//.exec(file)?.[0];
  if (folder === undefined) return undefined;
  const target = targetOf(file, one);
  if (target !== undefined) {
    if (target.startsWith('core/') || target.startsWith(folder)) return undefined;
    return 'a plugin imports core and its own folder; what it uses, it is given';
  }
  if (packageOf(one.specifier) === undefined || one.kind !== 'static') return undefined;
  return 'a plugin imports packages inside its functions, so that it can be listed without them';
};

const serverRule: Rule = (file, one) => {
  if (!file.startsWith('server/')) return undefined;
  const target = targetOf(file, one);
  if (target === undefined) return undefined;
  return /^(server|core)\//.test(target) ? undefined : 'the server finds plugins through the loader';
};

const dependencyRule: Rule = (_file, one) => {
  const name = packageOf(one.specifier);
  if (name === undefined) return undefined;
  if (name in PACKAGE.dependencies) return undefined;
  return one.kind === 'type' && name in PACKAGE.devDependencies ? undefined : 'package.json does not list it';
};

const BREACHING: [rule: Rule, file: string, source: string][] = [
  [coreRule, 'core/a.ts', "import { x } from '../server/config.ts';"],
  [coreRule, 'core/a.ts', "import type { X } from '../plugins/chunkers/token/index.ts';"],
  [coreRule, 'core/a.ts', "import { readFile } from 'node:fs/promises';"],
  [coreRule, 'core/a.ts', "import {\n  a,\n  b,\n} from 'fastify';"],
  [coreRule, 'core/a.ts', "import { FromSchema } from 'json-schema-to-ts';"],
  [coreRule, 'core/a.ts', "export * from '../server/config.ts';"],
  [coreRule, 'core/a.ts', "const x = await import('piscina');"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import x from '../token/index.ts';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import type { X } from '../../tokenizers/tiktoken/index.ts';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import { x } from '../../../server/nearest.ts';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import x from 'tiktoken';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import 'tiktoken/lite';"],
  [dependencyRule, 'server/a.ts', "createRequire(import.meta.url).resolve('no-such/package.json');"],
  [serverRule, 'server/a.ts', "import x from '../plugins/chunkers/token/index.ts';"],
  [serverRule, 'server/run/a.ts', "const x = await import('../../test/support/server.ts');"],
  [dependencyRule, 'server/a.ts', "import x from 'no-such-package';"],
  [dependencyRule, 'server/a.ts', "import { x } from '@no-such/package/file';"],
  [dependencyRule, 'server/a.ts', "import fc from 'fast-check';"],
];

t.test('the rules see a breach', async (t) => {
  for (const [rule, file, source] of BREACHING) {
    t.equal(breaches(new Map([[file, source]]), rule).length, 1, `${file}: ${JSON.stringify(source)}`);
  }
  t.ok(FILES.length > 50);
  const imports = [...SOURCES.values()].flatMap(importsOf);
  for (const kind of ['static', 'type', 'lazy'])
    t.ok(
      imports.some((one) => one.kind === kind),
      kind,
    );
});

t.test('core imports only core, without I/O', async (t) => t.same(breaches(SOURCES, coreRule), []));
t.test('a plugin imports core and its own folder', async (t) => t.same(breaches(SOURCES, pluginRule), []));
t.test('the server imports core and itself', async (t) => t.same(breaches(SOURCES, serverRule), []));
t.test('every package that is imported is a dependency', async (t) =>
  t.same(breaches(SOURCES, dependencyRule), []),
);

t.test('only the loader imports what is known at run time alone', async (t) => {
  const computed = FILES.filter((file) => hasComputedImport(SOURCES.get(file) as string));
  t.same(computed, ['server/loader.ts']);
});

t.test('the environment and the arguments are read in few places', async (t) => {
  const readers = FILES.filter((file) =>
    /\bprocess\.(env|argv)\b/.test(withoutComments(SOURCES.get(file) as string)),
  );
  const unforeseen = readers.filter((file) => !(file in READERS));
  t.same(unforeseen, []);
  t.ok(readers.includes('server/main.ts'));
});

t.test('every dependency is used, by the server, by core or by a plugin that declares it', async (t) => {
  const used = new Set([...SOURCES.values()].flatMap(importsOf).map(({ specifier }) => packageOf(specifier)));
  t.same(
    Object.keys(PACKAGE.dependencies).filter((name) => !used.has(name)),
    [],
  );
});

const PLUGINS = [...new Set(FILES.filter((file) => /^plugins\/[^/]+\/[^/]+\//.test(file)).map(folderOf))];

function folderOf(file: string): string {
  return file.split('/').slice(0, 3).join('/');
}

for (const folder of PLUGINS) {
  t.test(`${folder} is complete`, async (t) => {
    for (const file of ['manifest.ts', 'index.ts', 'README.md'])
      t.ok(existsSync(join(ROOT, folder, file)), file);
    const { default: manifest } = (await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest };
    const [kinds, name] = [basename(dirname(folder)), basename(folder)];
    t.equal(manifest.name, name);
    t.ok(KINDS.includes(manifest.kind));
    const plural = manifest.kind === 'refinery' ? 'refineries' : `${manifest.kind}s`;
    t.equal(kinds, plural, 'it stands in the folder of its kind');
    if (['chunker', 'refinery'].includes(manifest.kind)) t.ok(manifest.example, 'it has an example');
  });

  t.test(`${folder} declares the packages that it imports, and no others`, async (t) => {
    const { default: manifest } = (await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest };
    const own = FILES.filter((file) => folderOf(file) === folder).map((file) => SOURCES.get(file) as string);
    const imported = own
      .flatMap(importsOf)
      .filter(({ kind }) => kind !== 'type')
      .flatMap(({ specifier }) => packageOf(specifier) ?? []);
    t.same([...new Set(imported)].sort(), [...(manifest.needs?.packages ?? [])].sort());
  });

  t.test(`${folder} has a README that names it and each of its options`, async (t) => {
    const { default: manifest } = (await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest };
    const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
    t.match(readme, new RegExp(`^# .*${manifest.name}`, 'im'));
    for (const option of Object.keys(manifest.options?.properties ?? {}))
      t.ok(readme.includes(option), option);
  });
}

t.test('there are plugins of the kinds that the service is made of', async (t) => {
  for (const folder of ['plugins/chunkers/token', 'plugins/tokenizers/character'])
    t.ok(PLUGINS.includes(folder));
});

t.test('files are named in kebab-case', async (t) => {
  const all = [...FILES, ...globSync('test/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules'] })];
  const odd = all.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/.test(basename(file)));
  t.same(odd, []);
});
