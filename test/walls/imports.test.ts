import t from 'tap';
import { hasComputedImport, importsOf, packageOf } from '../../server/cli/import-scanner.ts';
import { arrowRule } from './rooms.ts';
import { breaches, PACKAGE, pluginFolderOf, type Rule, SOURCES, targetOf } from './sources.ts';

/** Built-in modules that do no I/O. */
const PURE_BUILT_INS = ['node:buffer', 'node:util'];
/** What plugins take of Node: their own files, hashes, and to wait. */
const PLUGIN_BUILT_INS = [
  'node:crypto',
  'node:fs',
  'node:fs/promises',
  'node:module',
  'node:path',
  'node:timers/promises',
];
/** What a manifest may import, so that it can be read without the packages of its plugin. */
const MANIFEST_IMPORTS = /^core\/(contracts\/|(fields|options)\.ts$)/;

const corePackageRule: Rule = (file, one) => {
  if (!file.startsWith('core/') || targetOf(file, one) !== undefined) return undefined;
  if (one.specifier.startsWith('node:'))
    return PURE_BUILT_INS.includes(one.specifier) ? undefined : 'core does no I/O';
  if (one.specifier === 'awilix') return undefined;
  return one.specifier === 'json-schema-to-ts' && one.kind === 'type' ? undefined : 'core takes no packages';
};

const pluginRule: Rule = (file, one) => {
  const folder = pluginFolderOf(file);
  const target = targetOf(file, one);
  if (folder === undefined || target === undefined || target.startsWith(`${folder}/`)) return undefined;
  if (target.startsWith('core/') && !target.startsWith('core/hosting/')) return undefined;
  return 'a plugin imports the contracts and the engine of core and its own folder; what it uses, it is given';
};

const pluginPackageRule: Rule = (file, { specifier, kind }) => {
  if (pluginFolderOf(file) === undefined || kind === 'type') return undefined;
  if (specifier.startsWith('node:'))
    return PLUGIN_BUILT_INS.includes(specifier) ? undefined : 'a plugin is given what it needs of the system';
  if (packageOf(specifier) === undefined || kind === 'lazy') return undefined;
  return 'a plugin imports packages inside its functions, so that it can be listed without them';
};

const manifestRule: Rule = (file, one) => {
  if (!/^plugins\/[^/]+\/[^/]+\/manifest\.ts$/.test(file)) return undefined;
  const target = targetOf(file, one);
  if (target !== undefined && MANIFEST_IMPORTS.test(target)) return undefined;
  if (one.specifier === 'json-schema-to-ts' && one.kind === 'type') return undefined;
  return 'a manifest is data: it imports contracts and schemas of core alone';
};

/** Biome's noUndeclaredDependencies sees `import`; this rule sees what is found by `resolve` as well. */
const lazyPackageRule: Rule = (file, { specifier, kind }) => {
  const name = kind === 'lazy' ? packageOf(specifier) : undefined;
  if (name === undefined || name in INSTALLED || BUILDS.includes(file)) return undefined;
  return 'package.json does not list it';
};

const INSTALLED = { ...PACKAGE.dependencies, ...PACKAGE.optionalDependencies };
/** What the build runs and copies: in a package of the program nothing of it is looked up. */
const BUILDS = ['server/cli/build.ts', 'server/http/routes/docs.ts'];

const RULES: Readonly<Record<string, Rule>> = {
  'core and server import only what stands below': arrowRule,
  'core takes no packages and does no I/O': corePackageRule,
  'a plugin imports core and its own folder': pluginRule,
  'a plugin imports packages when it is made, and little of Node': pluginPackageRule,
  'a manifest is data': manifestRule,
  'every package that is looked up is a dependency': lazyPackageRule,
};

for (const [name, rule] of Object.entries(RULES))
  t.test(name, async (t) => t.same(breaches(SOURCES, rule), []));

const BREACHING: [rule: Rule, file: string, source: string][] = [
  [arrowRule, 'core/engine/a.ts', "import { x } from '../../server/config/config.ts';"],
  [arrowRule, 'core/engine/a.ts', "export * from '../../server/config/config.ts';"],
  [arrowRule, 'core/engine/a.ts', "import type { X } from '../../plugins/chunkers/token/index.ts';"],
  [arrowRule, 'core/engine/a.ts', "import type { X } from '../hosting/registry.ts';"],
  [arrowRule, 'core/contracts/a.ts', "import type { X } from '../engine/chunking.ts';"],
  [arrowRule, 'core/hosting/a.ts', "import { x } from '../engine/chunking.ts';"],
  [arrowRule, 'core/a-new-room/a.ts', "import { x } from '../engine/chunking.ts';"],
  [arrowRule, 'server/a-new-room/a.ts', "import { x } from '../service/service.ts';"],
  [arrowRule, 'server/wire/a.ts', "import type { X } from '../service/service.ts';"],
  [arrowRule, 'server/service/a.ts', "import type { X } from '../run/runner.ts';"],
  [arrowRule, 'server/service/a.ts', "import { x } from '../store/pipeline-store.ts';"],
  [arrowRule, 'server/validation/a.ts', "import { x } from '../service/service.ts';"],
  [arrowRule, 'server/run/a.ts', "import { x } from '../http/admission.ts';"],
  [arrowRule, 'server/run/a.ts', "import { x } from '../container.ts';"],
  [arrowRule, 'server/run/a.ts', "const x = await import('../../test/support/server.ts');"],
  [arrowRule, 'server/http/a.ts', "import { x } from '../app.ts';"],
  [arrowRule, 'server/http/routes/a.ts', "import { x } from '../../hub/hub.ts';"],
  [arrowRule, 'server/store/a.ts', "import type { X } from '../http/admission.ts';"],
  [arrowRule, 'server/hub/a.ts', "import { x } from '../service/service.ts';"],
  [arrowRule, 'server/hosted/a.ts', "import { x } from '../hub/hub.ts';"],
  [arrowRule, 'server/loader/a.ts', "import x from '../../plugins/chunkers/token/index.ts';"],
  [arrowRule, 'server/app.ts', "import x from '../plugins/chunkers/token/index.ts';"],
  [corePackageRule, 'core/engine/a.ts', "import { readFile } from 'node:fs/promises';"],
  [corePackageRule, 'core/engine/a.ts', "import {\n  a,\n  b,\n} from 'fastify';"],
  [corePackageRule, 'core/engine/a.ts', "import { FromSchema } from 'json-schema-to-ts';"],
  [corePackageRule, 'core/engine/a.ts', "const x = await import('piscina');"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import x from '../token/index.ts';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import type { X } from '../../tokenizers/tiktoken/index.ts';"],
  [pluginRule, 'plugins/chunkers/a/index.ts', "import { x } from '../../../server/version.ts';"],
  [pluginRule, 'plugins/chunkers/a/inner/a.ts', "import { x } from '../../../../core/hosting/registry.ts';"],
  [pluginPackageRule, 'plugins/chunkers/a/index.ts', "import x from 'tiktoken';"],
  [pluginPackageRule, 'plugins/chunkers/a/index.ts', "import 'tiktoken/lite';"],
  [pluginPackageRule, 'plugins/chunkers/a/index.ts', "import { request } from 'node:https';"],
  [pluginPackageRule, 'plugins/chunkers/a/inner/a.ts', "const v8 = await import('node:v8');"],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', "import { x } from './languages.ts';"],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', "import { x } from '../../../core/engine/cuts.ts';"],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', "import { readFileSync } from 'node:fs';"],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', "import { x } from 'json-schema-to-ts';"],
  [lazyPackageRule, 'server/a.ts', "createRequire(import.meta.url).resolve('no-such/package.json');"],
  [lazyPackageRule, 'server/a.ts', "import.meta.resolve('vitest');"],
];

t.test('each rule sees its breaches', async (t) => {
  for (const [rule, file, source] of BREACHING)
    t.equal(breaches(new Map([[file, source]]), rule).length, 1, `${file}: ${JSON.stringify(source)}`);
  for (const [name, rule] of Object.entries(RULES))
    t.ok(
      BREACHING.some(([breached]) => breached === rule),
      name,
    );
});

t.test('the imports of the sources are found', async (t) => {
  t.ok(SOURCES.size > 50);
  const imports = [...SOURCES.values()].flatMap(importsOf);
  for (const kind of ['static', 'type', 'lazy'])
    t.ok(
      imports.some((one) => one.kind === kind),
      kind,
    );
});

t.test('only the loader imports what is known at run time alone', async (t) => {
  const computed = [...SOURCES].filter(([, source]) => hasComputedImport(source)).map(([file]) => file);
  t.same(computed, ['server/loader/disk.ts']);
});
