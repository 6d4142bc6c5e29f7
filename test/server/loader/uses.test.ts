import t from 'tap';
import { buildApp, configOf } from '../../../server/app.ts';
import { needs, STAND_INS } from '../../support/here.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';

const CHUNK = { text: 'abc', start_index: 0, end_index: 3, token_count: 3 };

t.test(
  'a refinery that uses no tokenizer works where there is none',
  needs('refinery/embeddings', 'embedding/static', 'tokenizer/huggingface'),
  async (t) => {
    const { post } = await startServer(t, { plugins: ['embeddings', 'static'] });
    const answer = await post('/v1/refine/embeddings', { chunks: [CHUNK] });
    t.equal(answer.status, 200);
    t.equal(answer.json<{ embedding: number[] }[]>()[0]?.embedding.length, 512);
  },
);

t.test('a plugin has in its context what it uses, and nothing else', async (t) => {
  const index = `export default () => ({
    refine: (chunks, _options, context) =>
      chunks.map((chunk) => ({ ...chunk, tokenizer: context.tokenizer?.name ?? null, model: 'model' in context })),
  });`;
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'refinery', name: 'without' }, index),
    plugin({ kind: 'refinery', name: 'counting', uses: ['tokenizer'] }, index),
  );
  const { post } = await startServer(t, { pluginsDir: [folder] });
  t.match((await post('/v1/refine/without', { chunks: [CHUNK] })).json(), [
    { tokenizer: null, model: false },
  ]);
  t.match((await post('/v1/refine/counting', { chunks: [CHUNK] })).json(), [
    { tokenizer: 'character', model: false },
  ]);
  const refused = await post('/v1/refine/without', { chunks: [CHUNK], tokenizer: 'character' });
  t.equal(refused.status, 400, 'nor does its route take a tokenizer');
});

t.test('a plugin is not given what it does not list in uses, whoever was made first', async (t) => {
  const index = `export default ({ 'tokenizer/character': tokenizer }) => ({
    chunk: (text) => [{ start: 0, end: text.length, extra: { given: typeof tokenizer } }],
  });`;
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'honest', uses: ['tokenizer/character'] }, index),
    plugin({ kind: 'chunker', name: 'sly' }, index),
  );
  for (const order of [
    ['honest', 'sly'],
    ['sly', 'honest'],
  ]) {
    const { post } = await startServer(t, { pluginsDir: [folder] });
    for (const name of order) {
      const answer = await post(`/v1/chunk/${name}`, { text: 'abc' });
      t.equal(answer.status, name === 'honest' ? 200 : 500, `${name} of ${order}`);
    }
  }
});

t.test('a factory may take all the rest of what it is given, and closes what it holds', async (t) => {
  const index = `export default ({ log, ...rest }) => {
    globalThis.closed ??= [];
    return {
      chunk: (text) => [{ start: 0, end: text.length, extra: { rest: Object.keys(rest).sort() } }],
      close: () => globalThis.closed.push(rest['chunker/first'] === undefined ? 'first' : 'second'),
    };
  };`;
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'first' }, index),
    plugin({ kind: 'chunker', name: 'second', uses: ['chunker/first'] }, index),
  );
  const app = await buildApp(
    configOf({ workers: 0, logLevel: 'silent', pluginsDir: [...STAND_INS, folder] }),
  );
  const answer = await app.inject({ method: 'POST', url: '/v1/chunk/second', payload: { text: 'abc' } });
  t.same(answer.json()[0].rest, [
    'chunker/first',
    'createCheck',
    'env',
    'hosted',
    'kit',
    'memoryBytes',
    'models',
    'shared',
  ]);
  await app.close();
  const { closed } = globalThis as unknown as { closed: string[] };
  t.same(closed, ['second', 'first'], 'what uses another is closed before it');
});

t.test('a chunker that names no tokenizer has the default one in a trimmed deployment too', async (t) => {
  const index = 'export default () => ({ chunk: (text) => [{ start: 0, end: text.length }] });';
  const folder = await pluginsFolder(t, plugin({ kind: 'chunker', name: 'whole' }, index));
  const { post, get } = await startServer(t, { plugins: ['whole'], pluginsDir: [folder] });
  t.match((await post('/v1/chunk/whole', { text: 'añ😀' })).json(), [{ token_count: 3 }]);
  const loaded = (await get('/v1/plugins')).json<{ kind: string; name: string }[]>();
  t.same(
    loaded.map(({ kind, name }) => `${kind}/${name}`),
    ['chunker/whole', 'tokenizer/character'],
  );
});

t.test('a plugin that chooses between others has their options, fields and reports', async (t) => {
  const inner = (name: string) =>
    plugin(
      {
        kind: 'chunker',
        name,
        options: {
          type: 'object',
          properties: {
            chunk_size: { type: 'integer', default: 2 },
            mark: { type: 'string', default: name },
          },
        },
        fields: { [name]: { type: 'string' } },
      },
      `export default () => ({
        chunk: (text, { mark, chunk_size }) => [{ start: 0, end: text.length, extra: { ${name}: mark + chunk_size } }],
      });`,
    );
  const chooser = plugin(
    {
      kind: 'chunker',
      name: 'chooser',
      chooses: ['chunker/first', 'chunker/second', 'chunker/third', 'chunker/lacking'],
      options: { type: 'object', properties: { chunk_size: { type: 'integer', default: 9 } } },
    },
    `export default (given) => ({
      chunk(text, { chunk_size, ...options }, context) {
        const name = text.includes('2') ? 'second' : 'first';
        if (given['chunker/third'] !== undefined || given['chunker/lacking'] !== undefined) throw new Error('given');
        return given['chunker/' + name].chunk(text, { ...options[name], chunk_size }, context);
      },
    });`,
  );
  const lacking = plugin({ kind: 'chunker', name: 'lacking', needs: { env: ['NOT_SET_HERE'] } }, '');
  const folder = await pluginsFolder(t, inner('first'), inner('second'), chooser, lacking);
  const { post, get } = await startServer(t, { pluginsDir: [folder] });
  const chunks = (await post('/v1/chunk/chooser', { text: ['1', '2'], second: { mark: 'm' } })).json();
  t.match(chunks, [[{ first: 'first9' }], [{ second: 'm9' }]], 'with the options that they have in common');
  const refused = await post('/v1/chunk/chooser', { text: '1', first: { chunk_size: 1 } });
  t.equal(refused.status, 400, 'which stand once');
  t.equal(
    (await post('/v1/chunk/chooser', { text: '1', lacking: {} })).status,
    400,
    'only of those that can run',
  );
  const { components } = (await get('/openapi.json')).json<{
    components: { schemas: Record<string, object> };
  }>();
  t.match(components.schemas.ChooserChunkerOptions, { properties: { first: {}, second: {} } });
  const fields = JSON.stringify(components.schemas.ChooserChunk ?? components.schemas);
  t.ok(fields.includes('"first"') && fields.includes('"second"'), 'and documents their fields');
});

t.test('plugins that choose between each other are refused', async (t) => {
  const choosing = (name: string, other: string) =>
    plugin({ kind: 'chunker', name, chooses: [`chunker/${other}`] }, 'export default () => ({});');
  const folder = await pluginsFolder(t, choosing('one', 'other'), choosing('other', 'one'));
  await t.rejects(buildApp(configOf({ pluginsDir: [folder] })), { code: 'cyclic_plugins' });
});

t.test('a server of few plugins has those that one chooses between, unless it names some', async (t) => {
  const make = (name: string, more: object = {}) =>
    plugin({ kind: 'chunker', name, ...more }, 'export default () => ({ chunk: () => [] });');
  const chooses = ['chunker/first', 'chunker/second'];
  const folder = await pluginsFolder(t, make('first'), make('second'), make('chooser', { chooses }));
  const namesOf = async (...plugins: string[]) => {
    const { get } = await startServer(t, { pluginsDir: [folder, ...STAND_INS], plugins });
    const all = (await get('/v1/plugins')).json<{ kind: string; name: string }[]>();
    return all.filter(({ kind }) => kind === 'chunker').map(({ name }) => name);
  };
  t.same(await namesOf('chooser'), ['chooser', 'first', 'second']);
  t.same(await namesOf('chooser', 'second'), ['chooser', 'second']);
});
