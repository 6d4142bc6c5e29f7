import t from 'tap';
import { readOpenApi } from '../../support/openapi.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer } from '../../support/server.ts';
import { find, type ListedPlugin } from './listed-plugins.ts';

const SECRET = 'sk-12345 in /home/someone/secret.ts';
const throwing = (name: string, error: string) => chunker(name, `throw ${error};`);
const HIDDEN = /failed: an unexpected error, which the log of the server has\.$/;
const FAILING: [files: Record<string, string>, status: number, detail: RegExp][] = [
  [throwing('plain', `new Error('${SECRET}')`), 500, HIDDEN],
  [throwing('text', `'${SECRET}'`), 500, HIDDEN],
  [throwing('nothing', 'null'), 500, HIDDEN],
  [throwing('not-found', `Object.assign(new Error('${SECRET}'), { statusCode: 404 })`), 500, HIDDEN],
  [throwing('bad-request', `Object.assign(new Error('${SECRET}'), { statusCode: 400 })`), 500, HIDDEN],
  [throwing('as-text', `Object.assign(new Error('${SECRET}'), { expose: 'true' })`), 500, HIDDEN],
  [
    throwing('open', `Object.assign(new Error('the model is gone'), { expose: true })`),
    500,
    /failed: the model is gone\.$/,
  ],
  [
    throwing('caller', `Object.assign(new Error('size: too small'), { expose: true, statusCode: 400 })`),
    400,
    /^size: too small$/,
  ],
  [plugin({ kind: 'chunker', name: 'import' }, `throw new Error('${SECRET}');`), 500, HIDDEN],
  [plugin({ kind: 'chunker', name: 'syntax' }, 'export default ('), 500, HIDDEN],
  [
    plugin({ kind: 'chunker', name: 'factory' }, `export default () => { throw new Error('${SECRET}'); };`),
    500,
    HIDDEN,
  ],
  [
    plugin({ kind: 'chunker', name: 'promise' }, `export default () => Promise.reject('${SECRET}');`),
    500,
    HIDDEN,
  ],
  [plugin({ kind: 'chunker', name: 'no-method' }, 'export default () => ({});'), 500, HIDDEN],
  [
    plugin({ kind: 'chunker', name: 'no-function' }, 'export default { chunk() {} };'),
    500,
    /failed: the default export of its index is not a function\.$/,
  ],
];

const GUARANTEED = { guarantees: { lossless: true } };
const BROKEN: [name: string, body: string, reason: RegExp][] = [
  ['lost-start', 'return [{ start: 1, end: text.length }];', /the text from 0 to 1 is lost/],
  ['lost-end', 'return [{ start: 0, end: 3 }];', /the text from 3 to 8 is lost/],
  ['lost-middle', 'return [{ start: 0, end: 2 }, { start: 4, end: 8 }];', /the text from 2 to 4 is lost/],
  ['lost-all', 'return [];', /the text from 0 to 8 is lost/],
  ['order', 'return [{ start: 4, end: 8 }, { start: 0, end: 4 }];', /lost|out of order/],
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
  ['no-list', 'return { start: 0, end: 8 };', /./],
  ['no-answer', '', /./],
  ['hole', 'return [null];', /./],
];

const LACKING: [files: Record<string, string>, remedy: RegExp][] = [
  [
    chunker('no-package', WHOLE_TEXT, {
      needs: { packages: ['no-such-package-x', '@no-such/y'] },
    }),
    /run "npm install no-such-package-x @no-such\/y" in the plugin's folder and start the server again/,
  ],
  [
    chunker('no-env', WHOLE_TEXT, { needs: { env: ['CHUNKSMITH_TEST_KEY'] } }),
    /set the environment variable CHUNKSMITH_TEST_KEY and start the server again/,
  ],
  [
    chunker('no-file', WHOLE_TEXT, { needs: { files: ['weights.bin', 'index.js'] } }),
    /the file weights\.bin of the plugin is missing/,
  ],
  [
    chunker('no-friend', WHOLE_TEXT, { uses: ['chunker/no-env', 'chunker/gone'] }),
    /set the environment variable CHUNKSMITH_TEST_KEY .*it uses chunker\/gone, which is not loaded/,
  ],
];

/** Of the failing plugins those whose index cannot even be imported. */
const UNIMPORTABLE = ['import', 'syntax', 'no-function'];

const nameOf = (files: Record<string, string>) => (Object.keys(files)[0] as string).split('/')[0] as string;

const ODD = await pluginsFolder(
  t,
  ...FAILING.map(([files]) => files),
  ...BROKEN.map(([name, body]) => chunker(name, body, GUARANTEED)),
  ...LACKING.map(([files]) => files),
  chunker('fine', WHOLE_TEXT, { needs: { env: ['PATH'], files: ['index.js'] } }),
);
const inline = await startServer(t, { pluginsDir: [ODD] });
const pooled = await startServer(t, { workers: 1, inlineBytes: 0, pluginsDir: [ODD] });
const BOTH: [title: string, client: Client][] = [
  ['inline', inline],
  ['in a worker', pooled],
];

t.test('a plugin that lacks something is unavailable, not absent', async (t) => {
  for (const [title, client] of BOTH) {
    await t.test(title, async (t) => {
      const info = (await client.get('/')).json<{ unavailable: ListedPlugin[]; endpoints: string[] }>();
      const { paths } = await readOpenApi(client);
      const chunkers = info.unavailable.filter(({ kind }) => kind === 'chunker');
      t.equal(chunkers.length, LACKING.length + UNIMPORTABLE.length);
      for (const name of UNIMPORTABLE) {
        const { available, missing } = await find(client, name);
        t.equal(available, false);
        t.match(missing[0], /^it cannot be imported: /);
        t.notMatch(missing[0], /sk-12345|someone|chunksmith-test/, 'neither secrets nor paths');
      }
      for (const [files, remedy] of LACKING) {
        const name = nameOf(files);
        const answer = await client.post(`/v1/chunk/${name}`, { text: 'abc' });
        checkProblem(t, answer, 500, [new RegExp(`^The chunker "${name}" cannot run here: `), remedy]);
        const entry = await find(client, name);
        t.equal(entry.available, false);
        t.match(entry.missing.join('; '), remedy);
        t.match(info.unavailable.find((one) => one.name === name)?.missing.join('; '), remedy);
        t.match(paths[`/v1/chunk/${name}`]?.post?.description, remedy);
        t.ok(info.endpoints.includes(`POST /v1/chunk/${name}`));
      }
      for (const name of ['fine', 'token']) t.equal((await client.chunk(name, { text: 'abc' })).length, 1);
    });
  }

  await t.test('and runs once it is there; an empty variable is none', async (t) => {
    t.teardown(() => delete process.env.CHUNKSMITH_TEST_KEY);
    process.env.CHUNKSMITH_TEST_KEY = 'secret';
    const client = await startServer(t, { pluginsDir: [ODD] });
    t.equal((await client.chunk('no-env', { text: 'abc' })).length, 1);
    process.env.CHUNKSMITH_TEST_KEY = '';
    t.equal((await find(await startServer(t, { pluginsDir: [ODD] }), 'no-env')).available, false);
  });
});

t.test('a plugin that throws', async (t) => {
  for (const [title, client] of BOTH) {
    for (const [files, status, detail] of FAILING) {
      await t.test(`${nameOf(files)}, ${title}`, async (t) => {
        for (let round = 0; round < 2; round++) {
          const answer = await client.post(`/v1/chunk/${nameOf(files)}`, { text: 'abc' });
          checkProblem(t, answer, status, detail);
          if (status === 500) t.match(answer.bytes.toString(), `The chunker \\"${nameOf(files)}\\" failed`);
          t.notMatch(answer.bytes.toString(), /sk-12345|someone/);
        }
      });
    }
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1, 'the others go on');
  }
});

t.test('a plugin that could not be made is made again at the next request', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'second-time' },
      `let calls = 0;
      export default () => {
        if (++calls === 1) throw new Error('not yet');
        return { chunk: (text) => [{ start: 0, end: text.length }] };
      };`,
    ),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  t.equal((await client.post('/v1/chunk/second-time', { text: 'abc' })).status, 500);
  t.equal((await client.post('/v1/chunk/second-time', { text: 'abc' })).status, 200);
});

t.test(
  'a plugin that breaks its promises gets a 500 that names it, and nothing of it comes out',
  async (t) => {
    for (const [name, , reason] of BROKEN) {
      await t.test(name, async (t) => {
        const answer = await inline.post(`/v1/chunk/${name}`, { text: ['plain 88', 'ab😀cdef'] });
        const named = new RegExp(
          `^The chunker "${name}" (returned an answer that breaks its contract|failed): `,
        );
        checkProblem(t, answer, 500, [named, reason]);
      });
    }
    const loose = await pluginsFolder(t, chunker('loose', 'return [{ start: 2, end: 4 }];'));
    const other = await startServer(t, { pluginsDir: [loose] });
    t.match(
      await other.chunk('loose', { text: 'abcdef' }),
      [{ text: 'cd', start_index: 2 }],
      'no promise, no check',
    );
  },
);
