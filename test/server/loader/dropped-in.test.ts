import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { buildApp } from '../../../server/app.ts';
import { configOf } from '../../../server/config/config.ts';
import { formWithText, readOpenApi } from '../../support/openapi.ts';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer, temporaryFolder, withStandIns } from '../../support/server.ts';
import { find, idsOf, listed } from './listed-plugins.ts';

const inline = await startServer(t, { pluginsDir: [FIXTURES] });
const pooled = await startServer(t, { workers: 1, inlineBytes: 0, pluginsDir: [FIXTURES] });
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
    const body = paths['/v1/chunk/paragraph']?.post?.requestBody?.content['application/json']?.schema;
    const { properties = {} } = formWithText(body ?? {});
    t.equal(properties.chunk_size?.default, 100);
    const shared = ['include', 'namespace', 'offset_unit', 'text', 'tokenizer'];
    t.same(Object.keys(properties).sort(), ['chunk_size', ...shared]);
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

  await t.test('of plugins whose files are .mjs', async (t) => {
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

t.test('--plugins', async (t) => {
  await t.test('loads what is named, and what that uses', async (t) => {
    const client = await startServer(t, { plugins: ['token', 'chunker/lines'], pluginsDir: [FIXTURES] });
    const ids = idsOf(await listed(client));
    t.same(
      ids.filter((id) => !id.startsWith('tokenizer/')),
      ['chunker/lines', 'chunker/token'],
    );
    t.ok(
      ids.includes('tokenizer/character') && ids.includes('tokenizer/words'),
      'all of a kind that is used',
    );
    checkProblem(t, await client.post('/v1/chunk/paragraph', { text: 'a' }), 404, /^There is nothing at/);
    t.equal((await client.chunk('token', { text: 'abc' })).length, 1);
  });
  await t.test('restricts a kind that is used to the named ones', async (t) => {
    const client = await startServer(t, {
      plugins: ['token', 'tokenizer/character'],
      pluginsDir: [FIXTURES],
    });
    t.same(idsOf(await listed(client)), ['chunker/token', 'tokenizer/character']);
    const answer = await client.post('/v1/chunk/token', { text: 'a', tokenizer: 'words' });
    checkProblem(t, answer, 400, /known are character\.$/);
  });
  await t.test('stops the start at an unknown name, and lists the known ones', async (t) => {
    const app = buildApp(configOf(withStandIns({ logLevel: 'silent', plugins: ['token', 'tokn'] })));
    await t.rejects(app, { message: /"tokn".*chunker\/token/ });
  });
  await t.test('says why a plugin that uses one of the others is unavailable', async (t) => {
    const folder = await pluginsFolder(t, chunker('friend', WHOLE_TEXT, { uses: ['chunker/token'] }));
    const client = await startServer(t, { plugins: ['friend'], pluginsDir: [folder] });
    t.ok(idsOf(await listed(client)).includes('chunker/token'), 'a single plugin that is used is loaded');
    t.equal((await client.chunk('friend', { text: 'abc' })).length, 1);
  });
});
