import { join } from 'node:path';
import t, { type Test } from 'tap';
import { configOf } from '../../../../server/config/config.ts';
import { loadPlugins, loadRegistry } from '../../../../server/plugins/loader/loader.ts';
import { STAND_INS } from '../../../support/here.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { openPlugins } from './open-plugins.ts';

type Files = Record<string, string>;

/** Checks that what loads the plugins of a folder fails with a message that names the file and the reason. */
async function checkRefusal(t: Test, folder: string, file: string, reason: RegExp, start = load) {
  const error = (await start(folder).catch((caught: Error) => caught)) as Error;
  t.match(error.message, reason);
  t.ok(error.message.startsWith(`${join(folder, file)}: `), error.message);
}

const load = (...folders: string[]): Promise<unknown> => loadRegistry({ folders, only: [], env: {} });
/** With those that come with the server, or stand in for them. */
const loadAll = (folder: string) => loadPlugins(configOf({ pluginsDir: [...STAND_INS, folder] }), {});

const WITH = (manifest: object) => chunker('bad', WHOLE_TEXT, manifest);
const MANIFEST = (text: string) => ({ ...chunker('bad', WHOLE_TEXT), 'bad/manifest.js': text });
const objectOf = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const OPTIONS = (schema: object) => WITH({ options: objectOf({ size: schema }) });
const INTEGER = { type: 'integer' };

const EXAMPLE = (example: object) =>
  WITH({ options: objectOf({ size: { type: 'integer', minimum: 1 } }), example });
const REQUIRING = WITH({
  options: objectOf({ size: INTEGER }, { required: ['size'] }),
  example: { text: 'a' },
});
const SINK = WITH({
  kind: 'sink',
  options: objectOf({ table: { type: 'string' } }),
  example: { tabel: 'a' },
});
const NO_MANIFEST = /: it has no manifest\.ts, manifest\.js or manifest\.mjs/;
const OF_KINDS =
  /manifest\.uses\[0\]: did you mean "tokenizer"\? expected one of chunker, refinery, .*, or .*, got "tokeniser"/;

const MISSPELT = /: options\.properties\.size: unknown keyword "defualt", did you mean "default"\?/;

const MALFORMED: [title: string, files: Files, reason: RegExp, file?: string][] = [
  ['no manifest', { 'bad/index.js': 'export default () => ({});' }, NO_MANIFEST, 'bad'],
  ['no manifest in a kind', { 'chunkers/bad/x.txt': '' }, /: it has no manifest/, 'chunkers/bad'],
  ['no index', { 'bad/manifest.js': '' }, /: it has no index\.ts, index\.js or index\.mjs/, 'bad'],
  [
    'a folder that is a plugin itself',
    { 'manifest.js': 'export default {}', 'index.js': '' },
    /: this is a plugin itself; use the folder that contains it, \/.+\.$/,
    'manifest.js',
  ],
  ['another name', chunkerIn('other', 'bad'), /its name is "other", but its folder is "bad"/],
  ['a bad kind', WITH({ kind: 'chunkr' }), /manifest\.kind: expected one of "chunker", .*got "chunkr"/],
  ['a bad name', WITH({ name: 'Bad_Name' }), /manifest\.name: expected/, 'Bad_Name/manifest.js'],
  [
    'a name with a blank',
    WITH({ name: 'my chunker', summary: '' }),
    /manifest\.name: expected lower-case letters, digits and single hyphens .*, at most 64 characters, got "my chunker"; manifest\.summary/,
    'my chunker/manifest.js',
  ],
  ['no summary', WITH({ summary: '' }), /manifest\.summary: expected/],
  ['an unknown field', WITH({ need: {} }), /manifest\.need: unknown parameter, did you mean "needs"/],
  [
    'several problems',
    WITH({ kind: 5, needs: { package: ['x'] } }),
    /manifest\.kind: .*; .*package: unknown/,
  ],
  ['a mistyped use', WITH({ uses: ['tokeniser'] }), OF_KINDS],
  ['a mistyped single use', WITH({ uses: ['tokenizr/x'] }), /did you mean "tokenizer\/x"\?/],
  ['a use of nothing known', WITH({ uses: ['database'] }), /manifest\.uses\[0\]: expected one of/],
  ['options that are no object', WITH({ options: { type: 'string' } }), /manifest\.options\.?\w*: /],
  ['an option of no type', OPTIONS({ type: 'strnig' }), /options\.properties\.size: .*type/],
  ['an option with an unknown keyword', OPTIONS({ type: 'integer', defualt: 1 }), MISSPELT],
  [
    'an option with a bad bound',
    OPTIONS({ type: 'integer', minimum: '1' }),
    /options\.properties\.size: .*minimum/,
  ],
  ...['text', 'documents', 'chunks', 'include', 'namespace'].flatMap((name) =>
    (['chunker', 'refinery'] as const).map((kind): (typeof MALFORMED)[number] => [
      `an option of a ${kind} that is named ${name}`,
      WITH({ kind, options: objectOf({ [name]: { type: 'string' } }) }),
      new RegExp(`options\\.properties\\.${name}: every request may have this member; choose another name`),
    ]),
  ),
  ['an example with a mistyped option', EXAMPLE({ text: 'a', siz: 1 }), /siz: unknown .*did you mean "size"/],
  ['an example with a bad option', EXAMPLE({ text: 'a', size: 0 }), /example\.size: expected .* 1, got 0/],
  ['an example of a sink', SINK, /example\.tabel: unknown parameter, did you mean "table"/],
  ['an example without a text', EXAMPLE({ size: 1 }), /manifest\.example\.text: missing/],
  ['an example whose text is none', EXAMPLE({ text: 5 }), /manifest\.example\.text: expected a string/],
  ['an example without what is required', REQUIRING, /example\.size: missing, expected an integer/],
  ['a manifest that throws', MANIFEST('throw new Error("no luck");'), /: no luck \(manifest\.js:1\)\.$/],
  ['a syntax error', MANIFEST('export default {'), /: Unexpected end of input\.$/],
  ['no default', MANIFEST('export const manifest = {};'), /: manifest: expected an object, got nothing/],
  ['a manifest that is not data', MANIFEST('export default { kind: () => 1 };'), /could not be cloned/],
  ['a missing import', MANIFEST('import "no-such-package-x"; export default {};'), /no-such-package-x/],
];

/** A chunker's files in the folder of another name. */
function chunkerIn(name: string, folder: string): Record<string, string> {
  const files = Object.entries(chunker(name, WHOLE_TEXT));
  return Object.fromEntries(files.map(([file, content]) => [file.replace(name, folder), content]));
}

t.test('a malformed plugin is refused, naming the file and the reason', async (t) => {
  for (const [title, files, reason, file = 'bad/manifest.js'] of MALFORMED) {
    await t.test(title, async (t) => checkRefusal(t, await pluginsFolder(t, files), file, reason));
  }
});

t.test('one name for two kinds is no duplicate', async (t) => {
  const refinery = plugin({ kind: 'refinery', name: 'token' }, 'export default () => ({});');
  const { ids } = await openPlugins(t, { pluginsDir: [await pluginsFolder(t, refinery)] });
  t.ok(ids.includes('chunker/token') && ids.includes('refinery/token'));
});

t.test('plugins that do not go together are refused', async (t) => {
  const of = (name: string, relation: object) => chunker(name, WHOLE_TEXT, relation);
  const using = (name: string, other: string) => of(name, { uses: [`chunker/${other}`] });
  const choosing = (name: string, other: string) => of(name, { chooses: [`chunker/${other}`] });
  const copy = plugin({ kind: 'tokenizer', name: 'copy', models: ['x', 'character'] }, 'export default 1;');
  const there =
    /the chunker "token" already exists in .*chunkers\/token\/manifest\.ts\. Rename or remove one/;
  const circle = (...names: string[]) =>
    RegExp(`in a circle: ${names.map((n) => `chunker/${n}`).join(' -> ')}`);
  const REFUSED: [files: Files[], name: string, reason: RegExp][] = [
    [[of('token', {})], 'token', there],
    [
      [using('one', 'two'), using('two', 'three'), using('three', 'one')],
      'one',
      circle('one', 'two', 'three', 'one'),
    ],
    [[using('alone', 'alone')], 'alone', circle('alone', 'alone')],
    [[choosing('one', 'other'), choosing('other', 'one')], 'one', circle('one', 'other', 'one')],
    [[copy], 'copy', /models: .*character.*manifest\.ts has "character" too/],
  ];
  for (const [files, name, reason] of REFUSED)
    await checkRefusal(t, await pluginsFolder(t, ...files), `${name}/manifest.js`, reason, loadAll);
});
