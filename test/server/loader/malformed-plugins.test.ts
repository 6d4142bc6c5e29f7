import { join } from 'node:path';
import t, { type Test } from 'tap';
import { buildApp } from '../../../server/app.ts';
import { configOf } from '../../../server/config/config.ts';
import { STAND_INS } from '../../support/here.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';
import { idsOf, listed } from './listed-plugins.ts';

/** Starts a server that must fail, and checks that the message names the file and the reason. */
async function checkRefusal(t: Test, folder: string, file: string, reason: RegExp): Promise<void> {
  const app = buildApp(configOf({ logLevel: 'silent', workers: 0, pluginsDir: [...STAND_INS, folder] }));
  const error = await app.then(
    async (started) => {
      await started.close();
      return new Error('the server started');
    },
    (caught: Error) => caught,
  );
  t.match(error.message, reason);
  t.ok(error.message.startsWith(`${join(folder, file)}: `), error.message);
}

const WITH = (manifest: object) => chunker('bad', WHOLE_TEXT, manifest);
const MANIFEST = (text: string) => ({ ...chunker('bad', WHOLE_TEXT), 'bad/manifest.js': text });
const OPTIONS = (schema: object) => WITH({ options: { type: 'object', properties: { size: schema } } });

const EXAMPLE = (example: object) =>
  WITH({ options: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } }, example });

const MALFORMED: [title: string, files: Record<string, string>, reason: RegExp, file?: string][] = [
  [
    'no manifest',
    { 'bad/index.js': 'export default () => ({});' },
    /: there is no manifest\.ts, manifest\.js or manifest\.mjs/,
    'bad',
  ],
  ['no manifest in a kind', { 'chunkers/bad/x.txt': '' }, /: there is no manifest/, 'chunkers/bad'],
  [
    'no index',
    { 'bad/manifest.js': 'export default {}' },
    /: there is no index\.ts, index\.js or index\.mjs/,
    'bad',
  ],
  ['another name', chunkerIn('other', 'bad'), /its name is "other", but its folder is "bad"/],
  ['a bad kind', WITH({ kind: 'chunkr' }), /manifest\.kind: expected one of "chunker", .*got "chunkr"/],
  ['a bad name', WITH({ name: 'Bad_Name' }), /manifest\.name: expected/, 'Bad_Name/manifest.js'],
  ['no summary', WITH({ summary: '' }), /manifest\.summary: expected/],
  ['an unknown field', WITH({ need: {} }), /manifest\.need: unknown parameter, did you mean "needs"/],
  [
    'several problems',
    WITH({ kind: 5, needs: { package: ['x'] } }),
    /manifest\.kind: .*; .*package: unknown/,
  ],
  [
    'a mistyped use',
    WITH({ uses: ['tokeniser'] }),
    /manifest\.uses\[0\]: did you mean "tokenizer"\? expected one of chunker, refinery, reader, sink, embedding, tokenizer, or .*, got "tokeniser"/,
  ],
  ['a mistyped single use', WITH({ uses: ['tokenizr/x'] }), /did you mean "tokenizer\/x"\?/],
  ['a use of nothing known', WITH({ uses: ['database'] }), /manifest\.uses\[0\]: expected one of/],
  ['options that are no object', WITH({ options: { type: 'string' } }), /manifest\.options\.?\w*: /],
  ['an option of no type', OPTIONS({ type: 'strnig' }), /options: .*type/],
  ['an option with an unknown keyword', OPTIONS({ type: 'integer', minimun: 1 }), /options: .*"minimun"/],
  ['an option with a bad bound', OPTIONS({ type: 'integer', minimum: '1' }), /options: .*minimum/],
  ...['text', 'documents', 'chunks', 'include', 'namespace'].flatMap((name) =>
    (['chunker', 'refinery'] as const).map((kind): (typeof MALFORMED)[number] => [
      `an option of a ${kind} that is named ${name}`,
      WITH({ kind, options: { type: 'object', properties: { [name]: { type: 'string' } } } }),
      new RegExp(`options\\.properties\\.${name}: every request can have this member; choose another name`),
    ]),
  ),
  [
    'an example with a mistyped option',
    EXAMPLE({ text: 'a', siz: 1 }),
    /example\.siz: unknown parameter, did you mean "size"/,
  ],
  [
    'an example with a bad option',
    EXAMPLE({ text: 'a', size: 0 }),
    /example\.size: expected an integer of at least 1, got 0/,
  ],
  [
    'an example of a sink with a mistyped option',
    WITH({
      kind: 'sink',
      options: { type: 'object', properties: { table: { type: 'string' } } },
      example: { tabel: 'a' },
    }),
    /example\.tabel: unknown parameter, did you mean "table"/,
  ],
  ['an example without a text', EXAMPLE({ size: 1 }), /manifest\.example\.text: missing/],
  ['an example whose text is none', EXAMPLE({ text: 5 }), /manifest\.example\.text: expected a string/],
  [
    'an example without what is required',
    WITH({
      options: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
      example: { text: 'a' },
    }),
    /manifest\.example\.size: missing, expected an integer/,
  ],
  ['a manifest that throws', MANIFEST('throw new Error("no luck");'), /: no luck \(manifest\.js:1\)\.$/],
  [
    'a manifest with a syntax error',
    MANIFEST('export default {'),
    /: Unexpected end of input \(manifest\.js:1\)\.$/,
  ],
  [
    'a manifest without a default',
    MANIFEST('export const manifest = {};'),
    /: manifest: expected an object, got nothing/,
  ],
  ['a manifest that is not data', MANIFEST('export default { kind: () => 1 };'), /could not be cloned/],
  [
    'an import that is missing',
    MANIFEST('import "no-such-package-x"; export default {};'),
    /no-such-package-x/,
  ],
];

/** A chunker's files in the folder of another name. */
function chunkerIn(name: string, folder: string): Record<string, string> {
  const files = Object.entries(chunker(name, WHOLE_TEXT));
  return Object.fromEntries(files.map(([file, content]) => [file.replace(name, folder), content]));
}

t.test('a malformed plugin stops the start, naming the file and the reason', async (t) => {
  for (const [title, files, reason, file = 'bad/manifest.js'] of MALFORMED) {
    await t.test(title, async (t) => checkRefusal(t, await pluginsFolder(t, files), file, reason));
  }
});

t.test('plugins that do not go together stop the start', async (t) => {
  await t.test('a duplicate of a built-in one', async (t) => {
    const folder = await pluginsFolder(t, chunker('token', WHOLE_TEXT));
    const reason =
      /the chunker "token" is there already, in .*chunkers\/token\/manifest\.ts\. Rename or remove one/;
    await checkRefusal(t, folder, 'token/manifest.js', reason);
  });
  await t.test('one name for two kinds is no duplicate', async (t) => {
    const folder = await pluginsFolder(
      t,
      plugin({ kind: 'refinery', name: 'token' }, 'export default () => ({});'),
    );
    const client = await startServer(t, { pluginsDir: [folder] });
    t.ok(idsOf(await listed(client)).includes('refinery/token'));
  });
  await t.test('a circle', async (t) => {
    const folder = await pluginsFolder(
      t,
      chunker('first', WHOLE_TEXT, { uses: ['chunker/second'] }),
      chunker('second', WHOLE_TEXT, { uses: ['chunker/third'] }),
      chunker('third', WHOLE_TEXT, { uses: ['chunker/first'] }),
    );
    const circle = /in a circle: chunker\/first -> chunker\/second -> chunker\/third -> chunker\/first/;
    await checkRefusal(t, folder, 'first/manifest.js', circle);
  });
  await t.test('a plugin that uses itself', async (t) => {
    const folder = await pluginsFolder(t, chunker('alone', WHOLE_TEXT, { uses: ['chunker/alone'] }));
    await checkRefusal(t, folder, 'alone/manifest.js', /in a circle: chunker\/alone -> chunker\/alone/);
  });
  await t.test('two that claim one model', async (t) => {
    const index = 'export default () => ({ names: () => [], open: async () => undefined });';
    const folder = await pluginsFolder(
      t,
      plugin({ kind: 'tokenizer', name: 'copy', models: ['x', 'character'] }, index),
    );
    await checkRefusal(
      t,
      folder,
      'copy/manifest.js',
      /models: .*character.*manifest\.ts has "character" too/,
    );
  });
});
