import { globSync } from 'node:fs';
import { relative } from 'node:path';
import t from 'tap';
import type { Manifest, PluginId } from '../../core/contracts/manifest.ts';
import { configOf } from '../../server/config/config.ts';
import { loadPlugins } from '../../server/plugins/loader/loader.ts';
import { REPLACED } from '../support/here.ts';
import { breaches, ROOT, type Rule, TESTS, targetOf, withoutComments } from './sources.ts';

/**
 * In a checkout without some plugins the tests of the others pass, and `tsc` too. So a file in
 * `test/plugins/<kind>s/<name>/` goes with that plugin, no other file imports from there or from `plugins/`, and a test
 * that asks for another plugin by name says so with `needs`.
 */

/** The plugin that a file belongs to or goes with, as `chunkers/token`. */
function ownerOf(file: string): string | undefined {
  return /^(?:test\/)?plugins\/(?!toolkit\/)([^/]+\/[^/]+)\//.exec(file)?.[1];
}

const ownPluginRule: Rule = (file, one) => {
  const owner = ownerOf(targetOf(file, one) ?? '');
  return owner === undefined || owner === ownerOf(file) ? undefined : `${owner} may not be in a checkout`;
};

/** Measured and compared by hand, by whoever has all plugins; walls only speak of them. */
const OUTSIDE = /^test\/(eval|walls)\//;

const { all } = await loadPlugins(configOf(), {});

/** How tests ask for each plugin that has no stand-in. */
const ASKED = all
  .filter(({ id }) => !REPLACED.includes(id))
  .map(({ id, manifest, file }) => ({
    id,
    owner: ownerOf(relative(ROOT, file)),
    pattern: asking(id, manifest),
  }));

/** What asks for a plugin: its route, a step of a pipeline, one of its models, a list of plugins, in an answer too. */
function asking(id: PluginId, { kind, name, models = [] }: Manifest): RegExp {
  const listed = [`(?:plugins|uses): \\[[^\\]]*'(?:${id}|${name})'`, `'--plugins', '[^']*\\b${name}\\b`];
  // Names of readers and sinks are names of formats and products, so that other sentences have them too.
  if (kind === 'reader' || kind === 'sink') return new RegExp([...listed, `\\b${kind}: '${name}'`].join('|'));
  const answered = `\\b(?:available:|valid names:) [^/\\n]*\\b${name}\\b`;
  const verb = kind === 'chunker' ? 'chunk' : 'refine';
  const steps = [`\\b${verb}/${name}\\b`, `\\b${verb}(?:All)?\\('${name}'`, `\\b${kind}: '${name}'`];
  const exact = models.filter((model) => !model.endsWith('*')).map((model) => model.replaceAll('.', '\\.'));
  const member = kind === 'tokenizer' ? 'tokenizer' : 'embedding_model';
  const opened = exact.length > 0 ? [`\\b${member}: '(?:${exact.join('|')})'`] : [];
  const used = kind === 'chunker' || kind === 'refinery' ? steps : opened;
  return new RegExp([...listed, answered, ...used].join('|'));
}

/** Plugins that a file asks for, does not go with, and does not say that it needs. */
function unsaidIn(file: string, source: string): string[] {
  const code = withoutComments(source);
  const unlisted = code.replace(/\b(?:plugins|uses): \[[^\]]*\]/g, '');
  const unsaid = ASKED.filter(
    ({ id, owner, pattern }) =>
      owner !== ownerOf(file) && pattern.test(code) && !unlisted.includes(`'${id}'`),
  );
  return unsaid.map(({ id }) => `${file} asks for ${id}: say so with needs('${id}')`);
}

t.test('tests of plugins stand in the folders of plugins, with which they go', async (t) => {
  const entries = globSync('test/plugins/*/*', { cwd: ROOT, exclude: ['test/plugins/toolkit'] });
  // Helpers of all plugins of a kind are beside their folders.
  const others = entries.filter((path) => !/\/[a-z][a-z0-9-]*(\.ts)?$/.test(path));
  t.same(others, []);
});

t.test('no test imports of a plugin that it does not go with', async (t) => {
  t.same(breaches(TESTS, ownPluginRule), []);
});

t.test('a test that asks for a plugin by name says that it needs it', async (t) => {
  const found = [...TESTS].flatMap(([file, source]) => (OUTSIDE.test(file) ? [] : unsaidIn(file, source)));
  t.same(found, []);
});

t.test('the rules see their breaches', async (t) => {
  for (const [file, target] of [
    ['test/server/a.test.ts', '../../plugins/chunkers/a/index.ts'],
    ['test/soak/a.ts', '../plugins/chunkers/a/support/b.ts'],
    ['test/plugins/chunkers/b/b.test.ts', '../../../../plugins/chunkers/a/manifest.ts'],
    ['test/plugins/chunkers/b/b.test.ts', '../a/support/c.ts'],
  ] as const) {
    for (const source of [`import x from '${target}';`, `import type { X } from '${target}';`])
      t.equal(breaches(new Map([[file, source]]), ownPluginRule).length, 1, `${file}: ${source}`);
  }
  const own = new Map([['test/plugins/chunkers/a/b.test.ts', "import './support/c.ts';"]]);
  t.same(breaches(own, ownPluginRule), []);
  const pattern = asking('chunker/a', { kind: 'chunker', name: 'a', summary: '' } as Manifest);
  const listing = ["plugins: ['b', 'a']", "uses: ['chunker/a']", '/available: .*a/'];
  for (const source of ["'/v1/chunk/a'", "chunk('a', {})", "{ chunker: 'a' }", ...listing])
    t.ok(pattern.test(source), source);
  for (const source of ["'/v1/chunk/ab'", "chunk('b')", "{ refinery: 'a' }"])
    t.notOk(pattern.test(source), source);
});
