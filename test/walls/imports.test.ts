import { parse } from 'es-module-lexer';
import t from 'tap';
import { TRIMMED } from '../support/here.ts';
import { importsOf, packageOf } from '../tools/import-scanner.ts';
import { arrowRule } from './rooms.ts';
import { breaches, PACKAGE, pluginFolderOf, type Rule, SOURCES, targetOf } from './sources.ts';

/** Built-in modules that do no I/O. */
const PURE_BUILT_INS = ['node:buffer', 'node:util', 'node:zlib'];
/** What plugins take of Node: their own files, which may be compressed, hashes, and to wait. */
const PLUGIN_BUILT_INS = ['crypto', 'fs', 'fs/promises', 'module', 'path', 'timers/promises', 'url', 'zlib'];
/** All that a plugin may import of the project: this, and the parts of the toolkit. */
const KIT = 'core/kit.ts';
/** A part of the toolkit: a file, or the index of a folder. The index of all is for plugins outside. */
const PART_OF_TOOLKIT = /^plugins\/toolkit\/(?!index\.ts$)[^/]+(?:\.ts|\/index\.ts)$/;
/** Schemas, which a manifest takes from where they are: the kit loads the engine, and a manifest is data. */
const SCHEMAS = /^(?:core\/(?:fields|options)|plugins\/toolkit\/[^/]+\/options)\.ts$/;
const MANIFEST = /^plugins\/[^/]+\/[^/]+\/manifest\.ts$/;

const corePackageRule: Rule = (file, one) => {
  if (!file.startsWith('core/') || targetOf(file, one) !== undefined) return undefined;
  if (one.specifier.startsWith('node:'))
    return PURE_BUILT_INS.includes(one.specifier) ? undefined : 'core does no I/O';
  if (one.specifier === 'awilix/browser') return undefined;
  return one.specifier === 'json-schema-to-ts' && one.kind === 'type' ? undefined : 'core takes no packages';
};

const pluginRule: Rule = (file, one) => {
  const folder = pluginFolderOf(file);
  const target = targetOf(file, one);
  if (folder === undefined || target === undefined || target.startsWith(`${folder}/`)) return undefined;
  if (target === KIT || PART_OF_TOOLKIT.test(target) || MANIFEST.test(file)) return undefined;
  return 'a plugin imports the kit, parts of the toolkit and its own folder; what else it uses, it is given';
};

const toolkitRule: Rule = (file, one) => {
  if (!file.startsWith('plugins/toolkit/') || targetOf(file, one) !== undefined) return undefined;
  // A caller passes the package itself.
  if (one.specifier === 'parse5' && one.kind === 'type') return undefined;
  return PURE_BUILT_INS.includes(one.specifier) ? undefined : 'the toolkit takes no packages and does no I/O';
};

/** The rest of core builds on contracts, so these import nothing. */
const contractRule: Rule = (file, one) => {
  const target = file.startsWith('core/contracts/') ? targetOf(file, one) : undefined;
  if (target === undefined || target.startsWith('core/contracts/')) return undefined;
  return 'contracts import nothing but each other';
};

const pluginPackageRule: Rule = (file, { specifier, kind }) => {
  if (pluginFolderOf(file) === undefined || kind === 'type') return undefined;
  if (specifier.startsWith('node:'))
    return PLUGIN_BUILT_INS.includes(specifier.slice(5))
      ? undefined
      : 'a plugin is given what it needs of the system';
  if (packageOf(specifier) === undefined || kind === 'lazy') return undefined;
  return 'a plugin imports packages inside its functions, so that it can be listed without them';
};

const manifestRule: Rule = (file, one) => {
  if (!MANIFEST.test(file)) return undefined;
  const target = targetOf(file, one) ?? '';
  if (SCHEMAS.test(target) || (target === KIT && one.kind === 'type')) return undefined;
  if (one.specifier === 'json-schema-to-ts' && one.kind === 'type') return undefined;
  return 'a manifest is data: it imports types of the kit, and schemas, alone';
};

/** Biome's noUndeclaredDependencies sees `import`; this rule sees what is found by `resolve` as well. */
const lazyPackageRule: Rule = (file, { specifier, kind }) => {
  const name = kind === 'lazy' ? packageOf(specifier) : undefined;
  if (name === undefined || name in INSTALLED || BUILDS.includes(file)) return undefined;
  return 'package.json does not list it';
};

/** Peers are added by whoever wants a plugin that needs them. */
const INSTALLED = {
  ...PACKAGE.dependencies,
  ...PACKAGE.optionalDependencies,
  ...PACKAGE.peerDependencies,
};
/** What the build runs and copies: in a package of the program nothing of it is looked up. */
const BUILDS = ['server/http/docs/redoc.ts'];

const RULES: Readonly<Record<string, Rule>> = {
  'core, the toolkit and server import only what stands below': arrowRule,
  'core takes no packages and does no I/O': corePackageRule,
  'contracts import nothing but each other': contractRule,
  'the toolkit takes no packages and does no I/O': toolkitRule,
  'the kit and the toolkit are the only doors of plugins': pluginRule,
  'a plugin imports packages when it is made, and little of Node': pluginPackageRule,
  'a manifest is data': manifestRule,
  'every package that is looked up is a dependency': lazyPackageRule,
};

for (const [name, rule] of Object.entries(RULES))
  t.test(name, { skip: rule === lazyPackageRule && TRIMMED }, async (t) =>
    t.same(breaches(SOURCES, rule), []),
  );

/** A rule, a file, and what this may not import by it. */
const BREACHING: [rule: Rule, file: string, ...specifiers: string[]][] = [
  [arrowRule, 'core/engine/a.ts', '../../server/config/config.ts', '../../plugins/chunkers/token/index.ts'],
  [arrowRule, 'core/engine/a.ts', '../hosting/registry.ts'],
  [arrowRule, 'core/contracts/a.ts', '../engine/chunking.ts'],
  [arrowRule, 'core/a-new-room/a.ts', '../engine/chunking.ts'],
  [arrowRule, 'server/a-new-room/a.ts', '../engine/service.ts'],
  [arrowRule, 'server/engine/validation/a.ts', '../service.ts'],
  [arrowRule, 'server/engine/a.ts', '../store/stores.ts', './run/runner.ts'],
  [
    arrowRule,
    'server/engine/run/a.ts',
    '../../http/transport/admission.ts',
    '../../../test/support/server.ts',
  ],
  [arrowRule, 'server/http/a.ts', '../app.ts', '../corpora/shard.ts', '../corpora/index.ts'],
  [arrowRule, 'server/cli/a.ts', '../corpora/shard.ts', '../corpora/index.ts'],
  [arrowRule, 'server/config/find-corpora.ts', '../corpora/shard.ts'],
  [arrowRule, 'server/corpora/jobs/a.ts', '../../http/transport/media.ts', '../http/read.ts'],
  [arrowRule, 'server/http/docs/a.ts', '../../plugins/hub/hub.ts'],
  [arrowRule, 'server/plugins/hosted/a.ts', '../../engine/service.ts'],
  [arrowRule, 'server/plugins/loader/a.ts', '../../../plugins/chunkers/token/index.ts'],
  [contractRule, 'core/contracts/a.ts', '../errors.ts', '../kit.ts', '../engine/search.ts'],
  [arrowRule, 'core/engine/a.ts', '../../plugins/toolkit/diff.ts', '../kit.ts'],
  [arrowRule, 'plugins/toolkit/a.ts', '../../server/app.ts', '../chunkers/token/index.ts'],
  [toolkitRule, 'plugins/toolkit/office/a.ts', 'node:fs', 'parse5'],
  [corePackageRule, 'core/engine/a.ts', 'node:fs/promises', 'fastify', 'json-schema-to-ts'],
  [pluginRule, 'plugins/chunkers/a/index.ts', '../token/index.ts', '../../tokenizers/tiktoken/index.ts'],
  [pluginRule, 'plugins/chunkers/a/inner/a.ts', '../../../../core/hosting/a.ts', '../../../../server/a.ts'],
  [
    pluginRule,
    'plugins/chunkers/a/index.ts',
    '../../../core/engine/search.ts',
    '../../../core/contracts/chunk.ts',
  ],
  [pluginRule, 'plugins/chunkers/a/index.ts', '../../../core/options.ts', '../../../core/errors.ts'],
  [pluginRule, 'plugins/chunkers/a/index.ts', '../../toolkit/index.ts', '../../toolkit/prose/lines.ts'],
  [pluginPackageRule, 'plugins/chunkers/a/index.ts', 'tiktoken', 'tiktoken/lite', 'node:https', 'node:v8'],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', './languages.ts', '../../../core/engine/cuts/cuts.ts'],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', '../../toolkit/diff.ts', '../../toolkit/prose/index.ts'],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', '../../../core/errors.ts', '../token/manifest.ts'],
  [manifestRule, 'plugins/chunkers/a/manifest.ts', 'node:fs', 'json-schema-to-ts'],
  [lazyPackageRule, 'server/a.ts', 'no-such/package.json', 'vitest'],
];

/** Ways to import something that a rule must see: some packages may be imported as types, or inside a function. */
function waysTo(specifier: string, rule: Rule): string[] {
  const lazy = `import.meta.resolve('${specifier}');`;
  if (rule === lazyPackageRule) return [lazy];
  const ways = [`import {\n  a,\n} from '${specifier}';`, `export * from '${specifier}';`];
  if (specifier.startsWith('node:')) return [...ways, lazy];
  return specifier.startsWith('.') ? [...ways, lazy, `import type { X } from '${specifier}';`] : ways;
}

t.test('each rule sees its breaches', async (t) => {
  for (const [rule, file, ...specifiers] of BREACHING) {
    for (const source of specifiers.flatMap((specifier) => waysTo(specifier, rule)))
      t.equal(breaches(new Map([[file, source]]), rule).length, 1, `${file}: ${JSON.stringify(source)}`);
  }
  const breached = BREACHING.map(([rule]) => rule);
  for (const [name, rule] of Object.entries(RULES)) t.ok(breached.includes(rule), name);
});

t.test('a manifest takes types of the kit, and nothing that would load the engine', async (t) => {
  const manifest = (source: string) =>
    breaches(new Map([['plugins/chunkers/a/manifest.ts', source]]), manifestRule);
  t.same(manifest("import type { Manifest } from '../../../core/kit.ts';"), []);
  t.equal(manifest("import { chunkSize } from '../../../core/kit.ts';").length, 1);
});

t.test('the imports of the sources are found', async (t) => {
  t.ok(SOURCES.size > 50);
  const kinds = [...SOURCES.values()].flatMap(importsOf).map(({ kind }) => kind);
  for (const kind of ['static', 'type', 'lazy'] as const) t.ok(kinds.includes(kind), kind);
});

/** Whether a source text imports what is known only when it runs. */
function hasComputedImport(source: string): boolean {
  return parse(source)[0].some((one) => one.type === 'dynamic' && (one.specifier ?? '*').startsWith('*'));
}

t.test('only the loader imports what is known at run time alone', async (t) => {
  for (const source of ['import(name);', "import('./' + name);", `import(\`\${name}\`);`, 'import(a.b());'])
    t.ok(hasComputedImport(source), source);
  for (const source of [
    "import('x');",
    `import(\`x/\${name}.js\`);`,
    '// import(name)',
    "import x from 'x';",
  ])
    t.notOk(hasComputedImport(source), source);
  const computed = [...SOURCES].filter(([, source]) => hasComputedImport(source)).map(([file]) => file);
  t.same(computed, ['server/plugins/loader/modules.ts']);
});

/** Packages that a start and a small `chunk` do without: they are loaded by what needs them. */
const LATE =
  /^(@mikro-orm|kysely|pg|pg-boss|@aws-sdk|hyparquet|tiktoken|web-tree-sitter|onnxruntime|ajv|@fastify\/(swagger|cors|rate))/;

/** The packages that importing a file loads. */
function packagesOf(entry: string, seen = new Set<string>()): string[] {
  if (seen.has(entry)) return [];
  seen.add(entry);
  const eager = importsOf(SOURCES.get(entry) ?? '').filter(({ kind }) => kind === 'static');
  return eager.flatMap((one) => {
    const target = targetOf(entry, one);
    return target === undefined ? [one.specifier] : packagesOf(target, seen);
  });
}

t.test('a start loads no package of a database, a bucket, a format, a model or a page', async (t) => {
  for (const entry of ['server/app.ts', 'server/worker.ts', 'server/corpora/command/run-chunk.ts']) {
    const loaded = packagesOf(entry);
    t.ok(loaded.length > 10, entry);
    const late = loaded.filter((name) => LATE.test(name));
    t.same(late, [], entry);
  }
  t.ok(packagesOf('server/store/open-database.ts').some((name) => LATE.test(name)));
});

t.test('a thread starts with few packages', async (t) => {
  const loaded = packagesOf('server/worker.ts').filter((name) => !name.startsWith('node:'));
  t.same(new Set(loaded), new Set(['awilix/browser', 'fastest-levenshtein', 'lru-cache']));
});
