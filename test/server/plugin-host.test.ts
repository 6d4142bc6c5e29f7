import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { threadId } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { buildApp } from '../../server/app.ts';
import { configOf } from '../../server/config.ts';
import { BUILT_IN_PLUGINS, loadRegistry } from '../../server/loader.ts';
import { readOpenApi } from '../support/openapi.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { checkProblem } from '../support/problems.ts';
import { type Client, startServer, temporaryFolder } from '../support/server.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'plugins');

interface ListedPlugin {
  kind: string;
  name: string;
  summary: string;
  available: boolean;
  missing: string[];
}

const listed = async (client: Client) => (await client.get('/v1/plugins')).json<ListedPlugin[]>();
const idsOf = (plugins: ListedPlugin[]) => plugins.map(({ kind, name }) => `${kind}/${name}`);
const find = async (client: Client, name: string) =>
  (await listed(client)).find((one) => one.name === name) as ListedPlugin;

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
      needs: { packages: ['no-such-package-x', '@no-such/y', 'fastify'] },
    }),
    /run "npm install no-such-package-x @no-such\/y" and start the server again/,
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

const nameOf = (files: Record<string, string>) => (Object.keys(files)[0] as string).split('/')[0] as string;

const ODD = await pluginsFolder(
  t,
  ...FAILING.map(([files]) => files),
  ...BROKEN.map(([name, body]) => chunker(name, body, GUARANTEED)),
  ...LACKING.map(([files]) => files),
  chunker('fine', WHOLE_TEXT, { needs: { packages: ['fastify'], env: ['PATH'], files: ['index.js'] } }),
);
const inline = await startServer(t, { pluginsDir: [FIXTURES, ODD] });
const pooled = await startServer(t, { workers: 1, inlineBytes: 0, pluginsDir: [FIXTURES, ODD] });
const BOTH: [title: string, client: Client][] = [
  ['inline', inline],
  ['in a worker', pooled],
];

t.test('a chunker that is dropped in', async (t) => {
  const text = 'First paragraph.\n\nSecond one.\n\n\nThird.';
  for (const [title, client] of BOTH) {
    await t.test(`is served at once, ${title}`, async (t) => {
      t.same(await client.chunk('paragraph', { text, chunk_size: 20 }), [
        { text: 'First paragraph.\n\n', start_index: 0, end_index: 18, token_count: 18 },
        { text: 'Second one.\n\n\nThird.', start_index: 18, end_index: 38, token_count: 20 },
      ]);
      t.equal((await client.chunk('paragraph', { text })).length, 1, 'the default of its manifest');
      const wrong = await client.post('/v1/chunk/paragraph', { text: 'a', chunk_size: 0, chunk_sizes: 1 });
      checkProblem(t, wrong, 400, [/chunk_size: expected an integer/, /chunk_sizes: unknown.*"chunk_size"/]);
    });

    await t.test(`can be TypeScript and add fields to its chunks, ${title}`, async (t) => {
      t.same(await client.chunk('lines', { text: 'é😀\nb', offset_unit: 'byte' }), [
        { text: 'é😀\n', start_index: 0, end_index: 7, token_count: 3, line: 0 },
        { text: 'b', start_index: 7, end_index: 8, token_count: 1, line: 1 },
      ]);
    });
  }

  await t.test('is listed and described', async (t) => {
    const info = (await inline.get('/')).json<{ endpoints: string[] }>();
    const { paths } = await readOpenApi(inline);
    for (const name of ['paragraph', 'lines']) {
      t.ok(info.endpoints.includes(`POST /v1/chunk/${name}`));
      t.equal((await find(inline, name)).available, true);
    }
    const schema = paths['/v1/chunk/paragraph']?.post?.requestBody?.content['application/json'].schema;
    t.equal(schema?.properties?.chunk_size?.default, 100);
    t.same(Object.keys(schema?.properties ?? {}).sort(), ['chunk_size', 'offset_unit', 'text', 'tokenizer']);
  });
});

t.test('a tokenizer that is dropped in is known by its models, a refinery is loaded', async (t) => {
  const text = 'one two  three four five';
  const chunks = await inline.chunk('token', { text, tokenizer: 'words', chunk_size: 2 });
  t.same(
    chunks.map((chunk) => [chunk.text, chunk.token_count]),
    [
      ['one two  ', 2],
      ['three four ', 2],
      ['five', 1],
    ],
  );
  const unknown = await inline.post('/v1/chunk/token', { text, tokenizer: 'wrds' });
  checkProblem(t, unknown, 400, /known are .*\bwords\b/);
  t.match(await find(inline, 'shout'), { kind: 'refinery', available: true });
});

t.test('folders', async (t) => {
  await t.test('of plugins, of kinds, both, several, relative, linked', async (t) => {
    const flat = await pluginsFolder(t, chunker('flat', WHOLE_TEXT));
    const inKind = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([name, content]) => [`chunkers/${name}`, content]));
    const mixed = await pluginsFolder(
      t,
      chunker('direct', WHOLE_TEXT),
      inKind(chunker('nested', WHOLE_TEXT)),
      {
        'README.md': 'not a plugin',
        '.git/config': '',
        'node_modules/thing/index.js': 'throw 1',
        'notes/a.txt': '',
      },
    );
    const elsewhere = await pluginsFolder(t, chunker('linked', WHOLE_TEXT));
    await symlink(join(elsewhere, 'linked'), join(mixed, 'linked'));
    const client = await startServer(t, { pluginsDir: [relative(process.cwd(), flat), mixed] });
    for (const name of ['flat', 'direct', 'nested', 'linked']) {
      t.equal((await client.chunk(name, { text: 'abc' })).length, 1, name);
    }
  });

  await t.test('where manifest and index are .mjs', async (t) => {
    const files = Object.entries(chunker('module', WHOLE_TEXT));
    const folder = await temporaryFolder(
      t,
      Object.fromEntries(files.map(([name, content]) => [name.replace('.js', '.mjs'), content])),
    );
    const client = await startServer(t, { pluginsDir: [folder] });
    t.equal((await client.chunk('module', { text: 'abc' })).length, 1);
  });

  await t.test('that cannot be read stop the start', async (t) => {
    const app = buildApp(configOf({ logLevel: 'silent', pluginsDir: ['/no/such/folder'] }));
    await t.rejects(app, { message: /^\/no\/such\/folder: the folder of plugins cannot be read/ });
  });
});

/** Starts a server that must fail, and checks that the message names the file and the reason. */
async function checkRefusal(t: Test, folder: string, file: string, reason: RegExp): Promise<void> {
  const app = buildApp(configOf({ logLevel: 'silent', workers: 0, pluginsDir: [folder] }));
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

const MALFORMED: [title: string, files: Record<string, string>, reason: RegExp, file?: string][] = [
  [
    'no manifest',
    { 'bad/index.js': 'export default () => ({});' },
    /: there is no manifest\.ts or manifest\.js/,
    'bad',
  ],
  ['no manifest in a kind', { 'chunkers/bad/x.txt': '' }, /: there is no manifest/, 'chunkers/bad'],
  ['no index', { 'bad/manifest.js': 'export default {}' }, /: there is no index\.ts or index\.js/, 'bad'],
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
  ['a bad use', WITH({ uses: ['tokeniser'] }), /manifest\.uses\[0\]: expected/],
  ['options that are no object', WITH({ options: { type: 'string' } }), /manifest\.options\.?\w*: /],
  ['an option of no type', OPTIONS({ type: 'strnig' }), /options: .*type/],
  ['an option with an unknown keyword', OPTIONS({ type: 'integer', minimun: 1 }), /options: .*"minimun"/],
  ['an option with a bad bound', OPTIONS({ type: 'integer', minimum: '1' }), /options: .*minimum/],
  ['a manifest that throws', MANIFEST('throw new Error("no luck");'), /: no luck\.$/],
  ['a manifest with a syntax error', MANIFEST('export default {'), /: Unexpected end of input/],
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
      /the chunker "token" is there already, in .*plugins\/chunkers\/token\/manifest\.ts\. Rename or remove one/;
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
      plugin({ kind: 'tokenizer', name: 'copy', models: ['x', 'gpt2'] }, index),
    );
    await checkRefusal(t, folder, 'copy/manifest.js', /models: .*tiktoken.*manifest\.ts has "gpt2" too/);
  });
});

t.test('a plugin that lacks something is unavailable, not absent', async (t) => {
  for (const [title, client] of BOTH) {
    await t.test(title, async (t) => {
      const info = (await client.get('/')).json<{ unavailable: ListedPlugin[]; endpoints: string[] }>();
      const { paths } = await readOpenApi(client);
      const chunkers = info.unavailable.filter(({ kind }) => kind === 'chunker');
      t.equal(chunkers.length, LACKING.length);
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

t.test('--plugins', async (t) => {
  await t.test('loads what is named, and what that uses', async (t) => {
    const client = await startServer(t, { plugins: ['token', 'chunker/recursive'], pluginsDir: [FIXTURES] });
    const ids = idsOf(await listed(client));
    t.same(
      ids.filter((id) => !id.startsWith('tokenizer/')),
      ['chunker/recursive', 'chunker/token'],
    );
    t.ok(
      ids.includes('tokenizer/character') && ids.includes('tokenizer/words'),
      'all of a kind that is used',
    );
    checkProblem(t, await client.post('/v1/chunk/sentence', { text: 'a' }), 404, /^There is nothing at/);
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
  });
  await t.test('restricts a kind that is used to the named ones', async (t) => {
    const client = await startServer(t, { plugins: ['token', 'tokenizer/character'] });
    t.same(idsOf(await listed(client)), ['chunker/token', 'tokenizer/character']);
    const answer = await client.post('/v1/chunk/token', { text: 'a', tokenizer: 'gpt2' });
    checkProblem(t, answer, 400, /known are character\.$/);
  });
  await t.test('stops the start at an unknown name, and lists the known ones', async (t) => {
    const app = buildApp(configOf({ logLevel: 'silent', plugins: ['token', 'tokn'] }));
    await t.rejects(app, { message: /"tokn".*chunker\/token/ });
  });
  await t.test('says why a plugin that uses one of the others is unavailable', async (t) => {
    const folder = await pluginsFolder(t, chunker('friend', WHOLE_TEXT, { uses: ['chunker/token'] }));
    const client = await startServer(t, { plugins: ['friend'], pluginsDir: [folder] });
    t.ok(idsOf(await listed(client)).includes('chunker/token'), 'a single plugin that is used is loaded');
    t.equal((await client.chunk('friend', { text: 'abc' })).length, 1);
  });
});

t.test('a plugin is given what it uses, by name', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'twice', uses: ['tokenizer', 'chunker/token'] },
      `export default ({ 'chunker/token': token, settings, log, shared }) => ({
        chunk: (text, options, context) => {
          if (!settings.modelsDir || !log.info || !shared.get) throw new Error('a collaborator is missing');
          return token.chunk(text, { chunk_size: 2, chunk_overlap: 0 }, context);
        },
      });`,
    ),
    plugin(
      { kind: 'chunker', name: 'greedy' },
      `export default ({ 'chunker/token': token }) => ({ chunk: () => token });`,
    ),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  t.same(
    (await client.chunk('twice', { text: 'abcde' })).map((chunk) => chunk.text),
    ['ab', 'cd', 'e'],
  );
  checkProblem(
    t,
    await client.post('/v1/chunk/greedy', { text: 'a' }),
    500,
    /^The chunker "greedy" failed: /,
  );
});

t.test('a plugin is imported and made at its first use, once', async (t) => {
  const state = globalThis as { imports?: number; factories?: number };
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'lazy' },
      `globalThis.imports = (globalThis.imports ?? 0) + 1;
      export default async () => {
        globalThis.factories = (globalThis.factories ?? 0) + 1;
        return { chunk: (text) => [{ start: 0, end: text.length }] };
      };`,
    ),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  for (const path of ['/', '/v1/plugins', '/openapi.json']) await client.get(path);
  await client.chunk('token', { text: 'a' });
  await client.post('/v1/chunk/lazy', { text: 5 });
  t.equal(state.imports, undefined, 'not at the start');
  await Promise.all(Array.from({ length: 5 }, () => client.chunk('lazy', { text: 'abc' })));
  t.equal(state.imports, 1);
  t.equal(state.factories, 1);
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

t.test('light small requests run here, large and heavy ones in a worker', async (t) => {
  const index = `import { threadId } from 'node:worker_threads';
    export default () => ({ chunk: (text) => [{ start: 0, end: text.length, extra: { thread: threadId } }] });`;
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'light' }, index),
    plugin({ kind: 'chunker', name: 'heavy', heavy: true }, index),
  );
  const client = await startServer(t, { workers: 1, inlineBytes: 1000, pluginsDir: [folder] });
  const threadOf = async (name: string, text: string) => (await client.chunk(name, { text }))[0]?.thread;
  t.equal(await threadOf('light', 'a'), threadId);
  t.not(await threadOf('light', 'a'.repeat(1000)), threadId);
  t.not(await threadOf('heavy', 'a'), threadId);
});

t.test('under load', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('busy', `for (const end = Date.now() + 20_000; Date.now() < end; ); ${WHOLE_TEXT}`),
    chunker('slow', `await new Promise((done) => setTimeout(done, 400)); ${WHOLE_TEXT}`),
    chunker('exit', 'process.exit(1);'),
    chunker(
      'watch',
      `
      await new Promise((done) => context.signal.addEventListener('abort', done));
      globalThis.sawAbort = true;
      return [];`,
    ),
  );
  const settings = { workers: 1, inlineBytes: 0, pluginsDir: [folder] };
  const client = await startServer(t, settings);

  await t.test('a client that goes away stops the work in a worker', async (t) => {
    const started = Date.now();
    const gone = AbortSignal.timeout(600);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "a"}' };
    await t.rejects(client.send('/v1/chunk/busy', { ...init, signal: gone }));
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
    t.ok(Date.now() - started < 10_000, 'the thread was not waited for');
  });

  await t.test('a client that goes away is seen by a plugin on the event loop', async (t) => {
    const client = await startServer(t, { pluginsDir: [folder] });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text": "a"}' };
    await t.rejects(client.send('/v1/chunk/watch', { ...init, signal: AbortSignal.timeout(200) }));
    const state = globalThis as { sawAbort?: boolean };
    for (let wait = 0; wait < 50 && !state.sawAbort; wait++)
      await new Promise((done) => setTimeout(done, 20));
    t.equal(state.sawAbort, true);
  });

  await t.test('a full queue is 503 with Retry-After, at once', async (t) => {
    const client = await startServer(t, { ...settings, queueSize: 2 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post('/v1/chunk/slow', { text: 'a' })),
    );
    const refused = answers.filter((answer) => answer.status !== 200);
    t.equal(answers.length - refused.length, 3, 'one runs, two wait');
    for (const answer of refused) {
      checkProblem(t, answer, 503, /queue is full: try again in 1 s/);
      t.equal(answer.headers.get('retry-after'), '1');
    }
    t.equal((await client.get('/health')).status, 200);
    t.equal((await client.post('/v1/chunk/slow', { text: 'a' })).status, 200, 'afterwards there is room');
  });

  await t.test('a worker that dies is a 500, and the next request has a new one', async (t) => {
    checkProblem(t, await client.post('/v1/chunk/exit', { text: 'a' }), 500, /./);
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
  });
});

t.test('the registry does not change once it is made', async (t) => {
  const options = { folders: [BUILT_IN_PLUGINS, FIXTURES], only: [], env: {} };
  const registry = await loadRegistry(options);
  const [entry] = registry.all;
  const change = (action: () => unknown) => t.throws(action, { name: 'TypeError' });
  change(() => (registry.all as unknown[]).push({}));
  change(() => Object.assign(registry, { find: () => undefined }));
  change(() => Object.assign(entry as object, { missing: ['x'] }));
  change(() => Object.assign((entry as { manifest: object }).manifest, { name: 'x' }));
});

t.test('a plugin cannot change its manifest later', async (t) => {
  const folder = await pluginsFolder(t, {
    ...chunker('sly', WHOLE_TEXT),
    'sly/index.js': `import manifest from './manifest.js';
      manifest.summary = 'changed';
      manifest.options = { type: 'object', properties: { more: { type: 'integer' } } };
      export default () => ({ chunk: (text) => [{ start: 0, end: text.length }] });`,
  });
  const client = await startServer(t, { pluginsDir: [folder] });
  t.equal((await client.chunk('sly', { text: 'abc' })).length, 1);
  t.equal((await find(client, 'sly')).summary, 'For a test.');
  checkProblem(
    t,
    await client.post('/v1/chunk/sly', { text: 'abc', more: 1 }),
    400,
    /^more: unknown parameter/,
  );
});
