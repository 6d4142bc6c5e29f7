import t from 'tap';
import type { Factory } from '../../../../core/kit.ts';
import { configOf } from '../../../../server/config/config.ts';
import { createServerContainer, disposeInOrder } from '../../../../server/container.ts';
import { BUILT_IN_PLUGINS, loadRegistry } from '../../../../server/plugins/loader/loader.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { runTask } from '../../../../server/testing/harness.ts';
import { needs } from '../../../support/here.ts';
import { readDocument } from '../../../support/openapi.ts';
import { chunker, FIXTURES, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer, withStandIns } from '../../../support/server.ts';
import { openPlugins } from './open-plugins.ts';

/** What plugins are given, when they are made, and that they change nothing of it. */

t.test('a plugin is given what it uses, by name', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'chunker', name: 'twice', uses: ['tokenizer', 'chunker/token'] },
      `export default ({ 'chunker/token': token, memoryBytes, kit, log, shared }) => ({
        chunk: (text, options, context) => {
          if (!memoryBytes || !kit.cutAtDelimiters || !log.info || !shared.get) throw new Error('a collaborator is missing');
          return token.chunk(text, { chunk_size: 2, chunk_overlap: 0 }, context);
        },
      });`,
    ),
  );
  const { chunk } = await openPlugins(t, { pluginsDir: [folder] });
  const texts = (await chunk('twice', { text: 'abcde' })).map(({ text }) => text);
  t.same(texts, ['ab', 'cd', 'e']);
});

t.test('the type of a factory has what its manifest allows, and nothing else', (t) => {
  const formats = { extensions: ['.x'] };
  const open = { kind: 'reader', name: 'open', summary: 'x', formats } as const;
  const guarded = { ...open, guarded: true } as const;
  const read = () => ({ text: '' });
  const factories = [
    (({ hosted, models, shared, log }) => ({ read, hosted, models, shared, log })) satisfies Factory<
      typeof open
    >,
    (({ log, env, createCheck, memoryBytes }) => ({
      read,
      log,
      env,
      createCheck,
      memoryBytes,
    })) satisfies Factory<typeof guarded>,
    // @ts-expect-error: a guarded reader calls no services
    (({ hosted }) => ({ read, hosted })) satisfies Factory<typeof guarded>,
    // @ts-expect-error: a guarded reader opens no models
    (({ models }) => ({ read, models })) satisfies Factory<typeof guarded>,
    // @ts-expect-error: a guarded reader shares no memory
    (({ shared }) => ({ read, shared })) satisfies Factory<typeof guarded>,
  ];
  // The compiler has checked them.
  t.equal(factories.length, 5);
  t.end();
});

const DIVIDES =
  'chunk: (text, options, { divide }) => divide({ start: 0, end: text.length }, finders, { size: 4 })';

t.test('a plugin in any folder imports the kit and the toolkit of the server that runs it', async (t) => {
  const source = `import { cutAtWhiteSpace } from 'chunksmith/kit';
    import { cutAtSentenceEnds } from 'chunksmith/toolkit';
    const finders = [cutAtSentenceEnds(['. ']), cutAtWhiteSpace];
    export default () => ({ ${DIVIDES} });`;
  const folder = await pluginsFolder(t, plugin({ kind: 'chunker', name: 'imports' }, source));
  const { chunk } = await openPlugins(t, { pluginsDir: [folder] });
  t.same(
    (await chunk('imports', { text: 'a. b c d' })).map(({ text }) => text),
    ['a. ', 'b c ', 'd'],
  );
});

t.test(
  'a plugin of contract 1 still receives the functions of the kit, and reads where the others are',
  async (t) => {
    const made = (name: string, found: string) =>
      plugin(
        { kind: 'chunker', name, engine: '^1.0.0' },
        `export default ({ kit }) => { const finders = [${found}]; return { ${DIVIDES} }; };`,
      );
    const folder = await pluginsFolder(
      t,
      made('given', "kit.cutAtDelimiters(['b']), kit.cutAtWhiteSpace"),
      made('moved', "kit.cutAtSentenceEnds(['. '])"),
    );
    const { chunk, post, find } = await openPlugins(t, { pluginsDir: [folder] });
    t.same(
      (await chunk('given', { text: 'a ab cd' })).map(({ text }) => text),
      ['a ab', ' cd'],
    );
    const where =
      /kit\.cutAtSentenceEnds is no longer passed .* import cutAtSentenceEnds from 'chunksmith\/toolkit'/;
    checkProblem(t, await post('/v1/chunk/moved', { text: 'a. b c d' }), 500, where);
    t.match(find('given'), { warning: /written for version \^1\.0\.0 of the plugin contract/ });
  },
);

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
  const client = await startServer(t, { pluginsDir: [folder], plugins: ['lazy', 'token', 'character'] });
  for (const path of ['/', '/v1/plugins', '/openapi.json']) await client.get(path);
  await client.chunk('token', { text: 'a' });
  await client.post('/v1/chunk/lazy', { text: 5 });
  t.equal(state.imports, undefined, 'not at the start');
  await Promise.all(Array.from({ length: 5 }, () => client.chunk('lazy', { text: 'abc' })));
  t.equal(state.imports, 1);
  t.equal(state.factories, 1);
});

const CHUNK = { text: 'abc', start_index: 0, end_index: 3, token_count: 3 };

const OF_VECTORS = needs('refinery/embeddings', 'embedding/static', 'tokenizer/huggingface');

t.test('a refinery that uses no tokenizer works where there is none', OF_VECTORS, async (t) => {
  const { post } = await openPlugins(t, { plugins: ['embeddings', 'static'] });
  const answer = await post('/v1/refine/embeddings', { chunks: [CHUNK] });
  t.equal(answer.status, 200);
  t.equal(answer.json<{ embedding: number[] }[]>()[0]?.embedding.length, 512);
});

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
  const { post } = await openPlugins(t, { pluginsDir: [folder] });
  for (const [name, tokenizer] of Object.entries({ without: null, counting: 'character' })) {
    const refined = await post(`/v1/refine/${name}`, { chunks: [CHUNK] });
    t.match(refined.json(), [{ tokenizer, model: false }]);
  }
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
    const { post } = await openPlugins(t, { pluginsDir: [folder] });
    for (const name of order) {
      const answer = await post(`/v1/chunk/${name}`, { text: 'abc' });
      if (name === 'honest') t.equal(answer.status, 200, `${name} of ${order}`);
      else checkProblem(t, answer, 500, /^The chunker "sly" failed: /);
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
  const config = configOf(withStandIns({ workers: 0, pluginsDir: [folder] }));
  const container = await createServerContainer(config, quietLog);
  const task = { run: 'chunk', name: 'second' } as const;
  const { bytes } = await runTask(container.cradle.service, task, { text: 'abc' });
  const rest = ['createCheck', 'env', 'hosted', 'kit', 'memoryBytes', 'models', 'shared'];
  t.same(JSON.parse(Buffer.from(bytes).toString())[0].rest, ['chunker/first', ...rest]);
  await disposeInOrder(container);
  const { closed } = globalThis as unknown as { closed: string[] };
  t.same(closed, ['second', 'first'], 'what uses another is closed before it');
});

t.test('a chunker that names no tokenizer has the default one in a trimmed deployment too', async (t) => {
  const folder = await pluginsFolder(t, chunker('whole', WHOLE_TEXT));
  const { post, ids } = await openPlugins(t, { plugins: ['whole'], pluginsDir: [folder] });
  t.match((await post('/v1/chunk/whole', { text: 'añ😀' })).json(), [{ token_count: 3 }]);
  t.same(ids, ['chunker/whole', 'tokenizer/character']);
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
  const plugins = ['first', 'second', 'chooser', 'lacking', 'character'];
  const client = await startServer(t, { pluginsDir: [folder], plugins });
  const ask = (request: object) => client.post('/v1/chunk/chooser', request);
  const chunks = (await ask({ text: ['1', '2'], second: { mark: 'm' } })).json();
  t.match(chunks, [[{ first: 'first9' }], [{ second: 'm9' }]], 'with the options that they have in common');
  t.equal((await ask({ text: '1', first: { chunk_size: 1 } })).status, 400, 'which are given once');
  t.equal((await ask({ text: '1', lacking: {} })).status, 400, 'only of those that can run');
  const { schemas } = (await readDocument(client)).components;
  t.match(schemas.ChooserChunkerOptions, { properties: { first: {}, second: {} } });
  const fields = JSON.stringify(schemas.ChooserChunk ?? schemas);
  t.ok(fields.includes('"first"') && fields.includes('"second"'), 'and documents their fields');
});

t.test('a server of few plugins has those that one chooses between, unless it names some', async (t) => {
  const chooses = ['chunker/first', 'chunker/second'];
  const [first = {}, second = {}] = ['first', 'second'].map((name) => chunker(name, WHOLE_TEXT));
  const folder = await pluginsFolder(t, first, second, chunker('chooser', WHOLE_TEXT, { chooses }));
  const namesOf = async (...plugins: string[]) => {
    const { ids } = await openPlugins(t, { pluginsDir: [folder], plugins });
    return ids.filter((id) => id.startsWith('chunker/'));
  };
  t.same(await namesOf('chooser'), ['chunker/chooser', 'chunker/first', 'chunker/second']);
  t.same(await namesOf('chooser', 'second'), ['chunker/chooser', 'chunker/second']);
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
  const { chunk, find, post } = await openPlugins(t, { pluginsDir: [folder] });
  t.equal((await chunk('sly', { text: 'abc' })).length, 1);
  t.equal(find('sly').summary, 'For a test.');
  checkProblem(t, await post('/v1/chunk/sly', { text: 'abc', more: 1 }), 400, /^more: unknown parameter/);
});
