import t from 'tap';
import { readOpenApi } from '../../../support/openapi.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { find, type ListedPlugin, openPlugins, under } from './open-plugins.ts';

/** A plugin that cannot run, whatever the reason, says why, and keeps no other from running. */

type Files = Record<string, string>;

const SECRET = 'sk-12345 in /home/someone/secret.ts';
const throwing = (name: string, error: string) => chunker(name, `throw ${error};`);
const exposing = (name: string, message: string, more = '') =>
  throwing(name, `Object.assign(new Error('${message}'), { expose: true, ${more} })`);
const indexed = (name: string, index: string) => plugin({ kind: 'chunker', name }, index);
const HIDDEN = /failed: an unexpected error; see the server's log\.$/;
const IMPORT = /failed: its import fails with (Syntax)?Error; the server's log says why\.$/;
/** Plugins that throw, with what a request is told. */
const FAILING: [files: Files, status: number, detail: RegExp][] = [
  [throwing('plain', `new Error('${SECRET}')`), 500, HIDDEN],
  [throwing('text', `'${SECRET}'`), 500, HIDDEN],
  [throwing('nothing', 'null'), 500, HIDDEN],
  [throwing('not-found', `Object.assign(new Error('${SECRET}'), { statusCode: 404 })`), 500, HIDDEN],
  [throwing('bad-request', `Object.assign(new Error('${SECRET}'), { statusCode: 400 })`), 500, HIDDEN],
  [throwing('as-text', `Object.assign(new Error('${SECRET}'), { expose: 'true' })`), 500, HIDDEN],
  [exposing('open', 'the model is gone'), 500, /failed: the model is gone\.$/],
  [exposing('caller', 'size: too small', 'statusCode: 400'), 400, /^size: too small$/],
  [indexed('import', `throw new Error('${SECRET}');`), 500, IMPORT],
  [indexed('syntax', 'export default ('), 500, IMPORT],
  [indexed('factory', `export default () => { throw new Error('${SECRET}'); };`), 500, HIDDEN],
  [indexed('promise', `export default () => Promise.reject('${SECRET}');`), 500, HIDDEN],
  [indexed('no-method', 'export default () => ({});'), 500, HIDDEN],
  [
    indexed('no-function', 'export default { chunk() {} };'),
    500,
    /default export of its index is not a function\.$/,
  ],
];

/** Chunkers that break a part of their contract; those that are named `lost` promise to lose nothing. */
const promisesOf = (name: string) => ({ guarantees: { lossless: name.startsWith('lost') } });
const BREAKING: [name: string, body: string, reason: RegExp][] = [
  ['lost-start', 'return [{ start: 1, end: text.length }];', /the text from 0 to 1 is lost/],
  ['lost-order', 'return [{ start: 5, end: 8 }, { start: 0, end: 5 }];', /\[0, 5\) comes after \[5, 8\)/],
  ['lost-end', 'return [{ start: 0, end: 3 }];', /the text from 3 to 8 is lost/],
  ['lost-middle', 'return [{ start: 0, end: 2 }, { start: 4, end: 8 }];', /the text from 2 to 4 is lost/],
  ['lost-all', 'return [];', /the text from 0 to 8 is lost/],
  [
    'order',
    'return [{ start: 4, end: 8 }, { start: 0, end: 4 }];',
    /\[0, 4\) comes after \[4, 8\); return spans in the order of the text/,
  ],
  ['backwards', 'return [{ start: 0, end: 8 }, { start: 2, end: 6 }];', /\[2, 6\) .* out of order/],
  ['empty', 'return [{ start: 0, end: 8 }, { start: 8, end: 8 }];', /\[8, 8\) .* is empty/],
  ['outside', 'return [{ start: 0, end: 9 }];', /\[0, 9\) of a text of 8 units .* outside/],
  ['negative', 'return [{ start: -1, end: 8 }];', /\[-1, 8\)/],
  ['no-number', 'return [{ start: 0, end: NaN }];', /\[0, NaN\)/],
  ['surrogate', 'return [{ start: 0, end: 3 }, { start: 3, end: 8 }];', /cuts a surrogate pair in two/],
  ['fraction', 'return [{ start: 0, end: 1.5 }, { start: 1.5, end: 8 }];', /1\.5/],
  ['count-negative', 'return [{ start: 0, end: 8, token_count: -1 }];', /token_count/],
  ['count-fraction', 'return [{ start: 0, end: 8, token_count: 1.5 }];', /token_count/],
  ['count-text', 'return [{ start: 0, end: 8, token_count: "8" }];', /token_count/],
  ['circular', 'const extra = {}; extra.extra = extra; return [{ start: 0, end: 8, extra }];', /./],
  ['overrides', 'return [{ start: 0, end: 8, extra: { text: "not the text" } }];', /text/],
  ['no-list', 'return { start: 0, end: 8 };', /chunk returned an object; return a list of spans/],
  ['no-answer', '', /chunk returned undefined; return a list of spans \{ start, end \}/],
  ['strings', 'return [text];', /chunk returned a list with a string, at 0; return a list of spans/],
  ['hole', 'return [null];', /a list with null, at 0/],
];

const given = (name: string, manifest: object) => chunker(name, WHOLE_TEXT, manifest);
const using = (name: string, ...others: string[]) =>
  given(name, { uses: others.map((other) => `chunker/${other}`) });
const KEY = /set the environment variable CHUNKSMITH_TEST_KEY/;
const SUCH = ['no-such-package-x', '@no-such/y'];

/** Plugins that need what is not here, with the remedy. */
const LACKING: [files: Files, remedy: RegExp][] = [
  [
    given('no-package', { needs: { packages: SUCH } }),
    /run "npm install no-such-package-x @no-such\/y" in the plugin's folder and restart the server/,
  ],
  [given('no-env', { needs: { env: ['CHUNKSMITH_TEST_KEY'] } }), /TEST_KEY and restart the server/],
  [
    given('no-file', { needs: { files: ['weights.bin', 'index.js'] } }),
    /the file weights\.bin of the plugin is missing/,
  ],
  [
    using('no-friend', 'no-env', 'gone'),
    new RegExp(`${KEY.source} .*it uses chunker/gone, which is not loaded`),
  ],
];

const INDEX = 'export default () => ({});\n';
const manifestOf = (name: string, text: string) => ({
  [`${name}/manifest.js`]: text,
  [`${name}/index.js`]: INDEX,
});
const VERSION = /^manifest\.version: expected a semantic version such as "1\.2\.0", got "1"$/;
const RANGE = /^manifest\.engine: expected a range of semantic versions .*, got "new"$/;
const UNPARSED = under('chunkers', manifestOf('unparsed', 'export default {'));
const THROWING = manifestOf('throwing', `throw new Error('${SECRET}');`);
const COPY = plugin({ kind: 'tokenizer', name: 'copy', models: ['character'] }, INDEX);
const USER_OF_USER = plugin({ kind: 'refinery', name: 'user-of-user', uses: ['chunker/user'] }, INDEX);

/** Plugins that stop the start, unless broken ones are tolerated. */
const BROKEN: [files: Files, kind: string | null, reason: RegExp][] = [
  [given('misspelt', { need: {} }), 'chunker', /^manifest\.need: unknown .*, did you mean "needs"/],
  [given('unversioned', { version: '1' }), 'chunker', VERSION],
  [given('unranged', { engine: 'new' }), 'chunker', RANGE],
  [UNPARSED, 'chunker', /^its import fails with SyntaxError$/],
  [THROWING, null, /^its import fails with Error \(manifest\.js:1\)$/],
  [{ 'half/manifest.js': "export default { kind: 'chunker' };" }, 'chunker', /^it has no index\.ts/],
  [{ 'chunkers/bare/notes.txt': '' }, 'chunker', /^it has no manifest\.ts/],
  [given('token', {}), 'chunker', /^another chunker is named "token"$/],
  [COPY, 'tokenizer', /^models: tokenizer\/character has "character" too$/],
  [using('first', 'second'), 'chunker', /in a circle: chunker\/first -> chunker\/second -> chunker\/first$/],
  [
    using('second', 'first'),
    'chunker',
    /^it uses chunker\/first, which is broken: plugins depend on each other in a/,
  ],
  [using('user', 'misspelt'), 'chunker', /^it uses chunker\/misspelt, which is broken: manifest\.need/],
  [USER_OF_USER, 'refinery', /^it uses chunker\/user, which is broken: it uses chunker\/misspelt/],
];

/** Of the failing plugins those that cannot be created. */
const UNMADE = ['import', 'syntax', 'no-function', 'factory', 'promise'];
const HIDDEN_NAMES = /sk-12345|someone|chunksmith-test/;

const nameOf = (files: Files) => (Object.keys(files)[0] as string).split('/').at(-2) as string;

const folder = await pluginsFolder(
  t,
  ...[...FAILING, ...LACKING, ...BROKEN].map(([files]) => files),
  ...BREAKING.map(([name, body]) => chunker(name, body, promisesOf(name))),
  chunker('fine', WHOLE_TEXT, { needs: { env: ['PATH'], files: ['index.js'] } }),
);
const names = [...FAILING, ...LACKING, ...BROKEN].map(([files]) => nameOf(files));
/** Without the other plugins of this checkout, which are not tried here. */
const plugins = [...names, ...BREAKING.map(([name]) => name), 'fine', 'tokenizer/character'];
const OPTIONS = { pluginsDir: [folder], plugins, tolerateBrokenPlugins: true };
const inline = await openPlugins(t, OPTIONS);
const pooled = await startServer(t, { ...OPTIONS, workers: 1, inlineBytes: 0 });
/** On this thread, and on that of a worker. */
const BOTH = [inline, pooled];

t.test('what lacks something is unavailable, what is broken listed, and the others are served', async (t) => {
  const info = (await pooled.get('/')).json<{ unavailable: ListedPlugin[]; endpoints: string[] }>();
  const { paths } = await readOpenApi(pooled);
  t.equal(info.unavailable.length, LACKING.length + BROKEN.length);
  for (const [files, remedy] of LACKING) {
    const name = nameOf(files);
    const listed = await find(pooled, name);
    t.match(listed, { available: false, state: 'unavailable', reason: remedy });
    t.match(listed.missing.join('; '), remedy);
    const unavailable = info.unavailable.find((one) => one.name === name);
    t.same(unavailable, listed);
    t.match(paths[`/v1/chunk/${name}`]?.post?.description, remedy);
    t.ok(info.endpoints.includes(`POST /v1/chunk/${name}`));
    for (const { post } of BOTH) {
      const answer = await post(`/v1/chunk/${name}`, { text: 'abc' });
      checkProblem(t, answer, 500, [new RegExp(`^The chunker "${name}" cannot run here: `), remedy]);
    }
  }
  const list = (await pooled.get('/v1/plugins')).json<ListedPlugin[]>();
  for (const [files, kind, reason] of BROKEN) {
    const listed = list.findLast(({ name }) => name === nameOf(files));
    t.match(listed, { kind, origin: 'folder', state: 'broken', available: false, reason });
    t.match(listed?.missing, [/^it is broken: /]);
    t.notOk(`/v1/chunk/${listed?.name}` in paths && listed?.name !== 'token', 'it is not documented');
  }
  t.notMatch(JSON.stringify([info, list]), HIDDEN_NAMES, 'neither secrets nor paths');
  for (const { chunk } of BOTH)
    for (const name of ['fine', 'token']) t.equal((await chunk(name, { text: 'abc' })).length, 1);
});

t.test('a plugin runs once what it needs is there; an empty variable is none', async (t) => {
  t.teardown(() => delete process.env.CHUNKSMITH_TEST_KEY);
  process.env.CHUNKSMITH_TEST_KEY = 'secret';
  t.equal((await (await openPlugins(t, OPTIONS)).chunk('no-env', { text: 'abc' })).length, 1);
  process.env.CHUNKSMITH_TEST_KEY = '';
  t.equal((await openPlugins(t, OPTIONS)).find('no-env').available, false);
});

t.test('a request for a broken plugin is told that it is broken, and why', async (t) => {
  const body = { text: 'abc' };
  for (const path of ['chunk/misspelt', 'chunk/unparsed', 'chunk/misspelt/file', 'refine/user-of-user']) {
    const answer = await pooled.post(`/v1/${path}`, body);
    t.equal(answer.status, 500, path);
    const { detail } = answer.json<{ detail: string }>();
    t.match(detail, /^The (chunker|refinery) ".*" is broken: (manifest|its import|it uses)/);
    t.notMatch(detail, /\/tmp/, 'files are named as they are in the folder of the plugin');
  }
  checkProblem(t, await pooled.post('/v1/chunk/throwing', body), 404, /nothing at/);
});

t.test(
  'a plugin that cannot be created is listed as broken after its first call, whatever its thread',
  async (t) => {
    const { pluginFailures } = inline;
    t.same(pluginFailures.reasons, new Map());
    for (const name of UNMADE) {
      t.equal((await find(pooled, name)).state, 'ready', 'nothing is known before');
      for (const { post } of BOTH) await post(`/v1/chunk/${name}`, { text: 'abc' });
      const listed = await until(async () => {
        const one = await find(pooled, name);
        return one.state === 'broken' ? one : undefined;
      });
      t.match(listed, { available: false, reason: /^it cannot be created: / });
      t.match(listed.missing[0], pluginFailures.reasons.get(`chunker/${name}`) as string);
      t.notMatch(JSON.stringify(listed), HIDDEN_NAMES);
    }
  },
);

t.test('a plugin that throws', async (t) => {
  for (const { post } of BOTH) {
    for (const [files, status, detail] of FAILING) {
      for (let round = 0; round < 2; round++) {
        const answer = await post(`/v1/chunk/${nameOf(files)}`, { text: 'abc' });
        checkProblem(t, answer, status, detail);
        if (status === 500) t.match(answer.bytes.toString(), `The chunker \\"${nameOf(files)}\\" failed`);
        t.notMatch(answer.bytes.toString(), HIDDEN_NAMES);
      }
    }
  }
});

t.test('a plugin that could not be made is made again at the next request', async (t) => {
  const index = `let calls = 0;
    export default () => {
      if (++calls === 1) throw new Error('not yet');
      return { chunk: (text) => [{ start: 0, end: text.length }] };
    };`;
  const folder = await pluginsFolder(t, indexed('second-time', index));
  const client = await openPlugins(t, { pluginsDir: [folder] });
  t.equal((await client.post('/v1/chunk/second-time', { text: 'abc' })).status, 500);
  t.equal(client.pluginFailures.reasons.size, 1);
  t.equal((await client.post('/v1/chunk/second-time', { text: 'abc' })).status, 200);
  t.equal(client.pluginFailures.reasons.size, 0);
});

t.test('a plugin that breaks its promises gets a 500 that names it, and nothing comes out', async (t) => {
  for (const [name, , reason] of BREAKING) {
    const answer = await inline.post(`/v1/chunk/${name}`, { text: ['plain 88', 'ab😀cdef'] });
    const named = new RegExp(`^The chunker "${name}" (returned an answer that breaks its contract|failed): `);
    checkProblem(t, answer, 500, [named, reason]);
  }
  const loose = await pluginsFolder(t, chunker('loose', 'return [{ start: 2, end: 4 }];'));
  const { chunk } = await openPlugins(t, { pluginsDir: [loose] });
  const chunks = await chunk('loose', { text: 'abcdef' });
  t.match(chunks, [{ text: 'cd', start_index: 2 }], 'no promise, no check');
});
