import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { PLUGIN_CONTRACT_VERSION } from '../../../../core/contracts/manifest.ts';
import { STAND_INS } from '../../../support/here.ts';
import { formWithText, readOpenApi } from '../../../support/openapi.ts';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { find, openPlugins, under } from './open-plugins.ts';

const inline = await openPlugins(t, { pluginsDir: [FIXTURES] });
const plugins = ['paragraph', 'lines', 'tokenizer/character'];
const pooled = await startServer(t, { workers: 1, inlineBytes: 0, pluginsDir: [FIXTURES], plugins });

t.test('a chunker that is dropped in is served at once, on this thread and on another', async (t) => {
  const text = 'First paragraph.\n\nSecond one.\n\n\nThird.';
  for (const { chunk, post } of [inline, pooled]) {
    t.same(await chunk('paragraph', { text, chunk_size: 20 }), [
      { text: 'First paragraph.\n\n', start_index: 0, end_index: 18, token_count: 18 },
      { text: 'Second one.\n\n\nThird.', start_index: 18, end_index: 38, token_count: 20 },
    ]);
    t.equal((await chunk('paragraph', { text })).length, 1, 'the default of its manifest');
    const wrong = await post('/v1/chunk/paragraph', { text: 'a', chunk_size: 0, chunk_sizes: 1 });
    checkProblem(t, wrong, 400, [/chunk_size: expected an integer/, /chunk_sizes: unknown.*"chunk_size"/]);
  }
});

t.test('a chunker can be TypeScript and add fields to its chunks', async (t) => {
  for (const { chunk } of [inline, pooled]) {
    t.same(await chunk('lines', { text: 'é😀\nb', offset_unit: 'byte' }), [
      { text: 'é😀\n', start_index: 0, end_index: 7, token_count: 3, line: 0 },
      { text: 'b', start_index: 7, end_index: 8, token_count: 1, line: 1 },
    ]);
  }
});

t.test('a chunker that is dropped in is listed and described', async (t) => {
  const info = (await pooled.get('/')).json<{ endpoints: string[] }>();
  const { paths } = await readOpenApi(pooled);
  for (const name of ['paragraph', 'lines']) {
    t.ok(info.endpoints.includes(`POST /v1/chunk/${name}`));
    t.equal((await find(pooled, name)).available, true);
  }
  const body = paths['/v1/chunk/paragraph']?.post?.requestBody?.content['application/json']?.schema;
  const { properties = {} } = formWithText(body ?? {});
  t.equal(properties.chunk_size?.default, 100);
  const shared = ['include', 'namespace', 'offset_unit', 'text', 'tokenizer'];
  t.same(Object.keys(properties).sort(), ['chunk_size', ...shared]);
});

t.test('a tokenizer that is dropped in is known by its models, a refinery is loaded', async (t) => {
  const text = 'one two  three four five';
  const chunks = await inline.chunk('token', { text, tokenizer: 'words', chunk_size: 2 });
  const found = chunks.map((chunk) => `${chunk.text}|${chunk.token_count}`);
  t.same(found, ['one two  |2', 'three four |2', 'five|1']);
  const unknown = await inline.post('/v1/chunk/token', { text, tokenizer: 'wrds' });
  checkProblem(t, unknown, 400, /available: .*\bwords\b/);
  t.match(inline.find('shout'), { kind: 'refinery', available: true });
});

t.test('folders of plugins, of kinds, both, several, relative, linked; TypeScript goes first', async (t) => {
  const typed = 'export default () => ({ chunk: (text: string) => [{ start: 0, end: text.length }] });';
  const flat = await pluginsFolder(t, chunker('flat', WHOLE_TEXT));
  const mixed = await pluginsFolder(
    t,
    chunker('direct', 'throw new Error("TypeScript is taken before it")'),
    { 'direct/index.ts': typed },
    under('chunkers', chunker('nested', WHOLE_TEXT)),
    {
      'README.md': 'not a plugin',
      '.git/config': '',
      'node_modules/thing/index.js': 'throw 1',
      'notes/a.txt': '',
    },
  );
  const elsewhere = await pluginsFolder(t, chunker('linked', WHOLE_TEXT));
  await symlink(join(elsewhere, 'linked'), join(mixed, 'linked'));
  const files = Object.entries(chunker('module', WHOLE_TEXT));
  const renamed = files.map(([name, content]) => [name.replace('.js', '.mjs'), content]);
  const modules = await temporaryFolder(t, Object.fromEntries(renamed));
  const { chunk } = await openPlugins(t, { pluginsDir: [relative(process.cwd(), flat), mixed, modules] });
  for (const name of ['flat', 'direct', 'nested', 'linked', 'module'])
    t.equal((await chunk(name, { text: 'abc' })).length, 1, name);
});

t.test('--plugins loads what is named, and what that uses', async (t) => {
  const pluginsDir = [FIXTURES];
  const { ids, chunk } = await openPlugins(t, { plugins: ['token', 'chunker/lines'], pluginsDir });
  const others = ids.filter((id) => !id.startsWith('tokenizer/'));
  t.same(others, ['chunker/lines', 'chunker/token']);
  t.ok(ids.includes('tokenizer/character') && ids.includes('tokenizer/words'), 'all of a kind that is used');
  t.equal((await chunk('token', { text: 'abc' })).length, 1);
  checkProblem(t, await pooled.post('/v1/refine/shout', { chunks: [] }), 404, /^There is nothing at/);
  const folder = await pluginsFolder(t, chunker('friend', WHOLE_TEXT, { uses: ['chunker/token'] }));
  const friend = await openPlugins(t, { plugins: ['friend'], pluginsDir: [folder] });
  t.ok(friend.ids.includes('chunker/token'), 'a single plugin that is used is loaded');
  t.ok(friend.ids.includes('tokenizer/character'), 'and what that uses');
  t.equal((await friend.chunk('friend', { text: 'abc' })).length, 1);
});

t.test('--plugins restricts a kind that is used to the named ones', async (t) => {
  const plugins = ['token', 'tokenizer/character'];
  const { ids, post } = await openPlugins(t, { plugins, pluginsDir: [FIXTURES] });
  t.same(ids, ['chunker/token', 'tokenizer/character']);
  const answer = await post('/v1/chunk/token', { text: 'a', tokenizer: 'words' });
  checkProblem(t, answer, 400, /available: character\.$/);
});

t.test('the start is stopped by an unknown name, and by a folder that cannot be read', async (t) => {
  await t.rejects(openPlugins(t, { plugins: ['token', 'tokn'] }), { message: /"tokn".*chunker\/token/ });
  const message = /^\/no\/such\/folder: the folder of plugins cannot be read/;
  await t.rejects(openPlugins(t, { pluginsDir: ['/no/such/folder'] }), { message });
});

t.test('the version of a plugin and the contract that it is written for are shown', async (t) => {
  const later = { version: '2.1.0-beta.1', engine: '>=99' };
  const folder = await pluginsFolder(
    t,
    chunker('fits', WHOLE_TEXT, { version: '1.2.0', engine: `^${PLUGIN_CONTRACT_VERSION}` }),
    chunker('later', WHOLE_TEXT, later),
    chunker('silent', WHOLE_TEXT),
  );
  const { find, chunk } = await openPlugins(t, { pluginsDir: [folder] });
  const fits = find('fits');
  t.match(fits, {
    version: '1.2.0',
    engine: `^${PLUGIN_CONTRACT_VERSION}`,
    origin: 'folder',
    state: 'ready',
    available: true,
  });
  t.equal(fits.warning, undefined);
  const warning = new RegExp(
    `written for version >=99 of the plugin contract, but this server has ${PLUGIN_CONTRACT_VERSION}: .*use a matching version`,
  );
  t.match(find('later'), { ...later, state: 'ready', warning });
  t.equal((await chunk('later', { text: 'abc' })).length, 1, 'it is loaded all the same');
  t.match(find('silent'), { version: undefined, engine: undefined });
  const isBuiltIn = STAND_INS.every((one) => !one.endsWith('chunkers'));
  t.equal(find('token').origin, isBuiltIn ? 'builtin' : 'folder');
});
