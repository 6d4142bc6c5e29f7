import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import type { TokenizerProvider } from '../../../core/contracts/tokenizer.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { createRegistry } from '../../../core/hosting/registry.ts';
import { keepTokenizers, Openers } from '../../../server/engine/stages/openers.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { needs } from '../../support/here.ts';
import { FIXTURES, plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { chunkStep, composeQuietly, openService, refineStep } from '../../support/service.ts';

/** How names of tokenizers and of embedding models find what they open; the cache has tests of its own. */

function fail(): never {
  throw new Error('not for this test');
}

t.test('eight tokenizers stay open, also without their files; one that failed is tried again', async (t) => {
  const names = Array.from({ length: 9 }, (_, index) => `bert-${index}`);
  const [first, second, ninth] = [names[0] as string, names[1] as string, names[8] as string];
  const there = new Set(names);
  let [isBroken, asked]: [boolean, string[]] = [true, []];
  const plugin: TokenizerProvider = {
    names: () => [...there],
    async open(name) {
      asked.push(name);
      if (isBroken) throw new Error(`"${name}" cannot be used`);
      return there.has(name) ? { name, tokenize: () => fail() } : undefined;
    },
  };
  const { open, names: known } = keepTokenizers(plugin, quietLog);
  for (const one of [open(first), open(first)]) await t.rejects(one, { message: /cannot be used/ });
  isBroken = false;
  const [one, other] = await Promise.all([open(first), open(first)]);
  t.same([one?.name, asked], [first, [first, first]]);
  there.delete(first);
  for (const again of [other, await open(first)]) t.equal(again, one);
  t.same(await known(), names.slice(1));

  there.add(first);
  for (const name of names.slice(0, 8)) await open(name);
  for (let index = 0; index < 10; index++) t.equal(await open(`no-such-${index}`), undefined);
  asked = [];
  for (const name of [...names.slice(0, 8), 'no-such-0', first, ninth, first, second]) await open(name);
  t.same(asked, ['no-such-0', ninth, second], 'no name that does not exist; the least recently used');
});

t.test('requests and plugins are given the same tokenizer, and none that is unknown', async (t) => {
  const { openers, host } = await composeQuietly({ pluginsDir: [FIXTURES] });
  const [one, other] = await Promise.all([openers.tokenizer('words'), openers.tokenizer('words')]);
  t.equal(one, other);
  t.equal(await (await host.get('tokenizer', 'words')).open('words'), one);
  for (const name of ['no-such', '../../package', '/etc/passwd', 'http://127.0.0.1/x', 'a/b/c', '..'])
    await t.rejects(openers.tokenizer(name), {
      code: 'unknown_tokenizer',
      message: /available: .*character/,
    });
});

const MANIFEST = { kind: 'embedding', name: 'made-up', summary: 'For a test.', models: ['*'] } as Manifest;
const LIMITS = { maxModels: 2, maxModelBytes: 100, modelAliases: {}, allowDownloads: false };

/**
 * Openers with one plugin of models. They are as large as their names say, `one-40` has 40 bytes; those named
 * `slow-…` never open, `bad-…` fail, and `alias` is another name of `named-1`.
 */
function createModels(given: Partial<typeof LIMITS> = {}, close = () => {}) {
  const opened: string[] = [];
  const signals: AbortSignal[] = [];
  const closed: string[] = [];
  const warnings: unknown[] = [];
  const makeModel = (name: string): EmbeddingModel => ({
    name,
    bytes: Number(name.split('-')[1]),
    tokenizer: async () => fail(),
    embed: async () => fail(),
    close: () => {
      closed.push(name);
      return close();
    },
  });
  const provider: EmbeddingProvider = {
    list: () => [{ name: 'named-1', aliases: ['alias'] }],
    async open(name, signal) {
      opened.push(name);
      signals.push(signal);
      if (name.startsWith('bad')) throw new Error('it is broken');
      if (name.startsWith('slow')) await new Promise(() => {});
      return name.startsWith('no-such') ? undefined : makeModel(name === 'alias' ? 'named-1' : name);
    },
  };
  const entry = { id: 'embedding/made-up', manifest: MANIFEST, file: 'made-up', missing: [] } as const;
  const openers = new Openers({
    registry: createRegistry([{ ...entry, origin: 'folder' }]),
    host: { get: async () => provider, close: async () => {} } as unknown as PluginHost,
    log: { ...quietLog, warn: (...given) => void warnings.push(given) },
    config: { ...LIMITS, ...given },
  });
  const use = async (name: string) => (await openers.model(name)).release();
  return { openers, opened, signals, closed, warnings, use };
}

t.test('an opening that nobody waits for is aborted, and one that failed is tried again', async (t) => {
  const { openers, signals, opened } = createModels();
  const stop = new AbortController();
  const asked = openers.model('slow-1', stop.signal);
  await nextTurn();
  t.same([signals[0]?.aborted, opened], [false, ['slow-1']]);
  stop.abort(new Error('gone'));
  await t.rejects(asked, { message: 'gone' });
  t.equal(signals[0]?.aborted, true);
  const message = /"no-such" here; available: named-1, alias\./;
  for (let round = 0; round < 2; round++) {
    await t.rejects(openers.model('bad-1'), { code: 'plugin_failed', message: /"made-up" failed/ });
    await t.rejects(openers.model('no-such'), { code: 'unknown_model', message });
  }
  t.same(opened.slice(1), ['bad-1', 'no-such', 'bad-1', 'no-such']);
});

t.test('where no plugin makes embeddings, the error says to load one', async (t) => {
  const { openers } = await composeQuietly({ plugins: ['token', 'character'] });
  const message = /"a" here; available: none\. No embedding plugin is loaded: add one to --plugins/;
  await t.rejects(openers.model('a'), { code: 'unknown_model', message });
});

t.test('idle models beyond --max-models or --max-model-bytes are closed', async (t) => {
  const { closed, use } = createModels();
  for (const name of ['a-1', 'b-1', 'a-1', 'c-1']) await use(name);
  t.same(closed, ['b-1'], 'the least recently used');
  const sized = createModels({ maxModels: 9 });
  for (const name of ['a-40', 'b-40', 'c-20', 'd-30', 'large-101']) await sized.use(name);
  t.same(sized.closed, ['a-40', 'large-101'], 'one that is larger than that displaces no other');
});

t.test('a model that cannot be closed is logged and harms nobody', async (t) => {
  const { openers, warnings, use, closed } = createModels({ maxModels: 1 }, () => {
    throw new Error('stuck');
  });
  for (const name of ['a-1', 'b-1']) await use(name);
  await openers.close();
  t.same(closed, ['a-1', 'b-1']);
  const said = closed.map((model) => [{ err: { message: 'stuck' }, model }, /could not be closed/]);
  t.match(warnings, said);
});

t.test('an alias opens the model that it stands for, once under all its names', async (t) => {
  const modelAliases = { 'their/model': 'named-1', mine: 'named-1', 'a-5': 'a-6', theirs: 'no-such-model' };
  const { openers, opened } = createModels({ modelAliases });
  const nameOf = async (name: string) => (await openers.model(name)).value.name;
  const names = await Promise.all(['their/model', 'named-1', 'mine'].map(nameOf));
  t.same([names, opened], [Array(3).fill('named-1'), ['named-1']]);
  t.equal(await nameOf('a-5'), 'a-6', 'also where there is a model of that name');
  t.equal(await nameOf('alias'), 'named-1', "and so does the plugin's own alias");
  t.match(await openers.listModels(), [
    { name: 'named-1', aliases: ['alias', 'their/model', 'mine'], provider: 'made-up' },
  ]);
  const message = /no model "no-such-model", for which "theirs" is an alias, here; available: named-1/;
  await t.rejects(openers.model('theirs'), { code: 'unknown_model', message });
});

const THEIRS = 'minishlab/potion-base-8M';
const OURS = 'chunksmith/static-en-256';
const text = 'Tea comes from China. It is drunk hot. Rockets burn hydrogen. They fly to the moon.';
const chunks = [{ text, start_index: 0, end_index: text.length, token_count: text.length }];
const ALIASED = 'requests name a model by its alias; a mistyped one is 400 with those that are ready';
const NEEDED = needs('chunker/semantic', 'refinery/embeddings', 'embedding/static', 'embedding/openai');

t.test(ALIASED, NEEDED, async (t) => {
  const modelAliases = { [THEIRS]: OURS, openai: 'text-embedding-3-small' };
  const { post, execute, openers } = await openService(t, { modelAliases });
  for (const [path, body] of [
    ['/v1/chunk/semantic', { text }],
    ['/v1/refine/embeddings', { chunks }],
  ] as const) {
    const ask = (embedding_model: string) => post(path, { ...body, embedding_model });
    const [theirs, ours] = [await ask(THEIRS), await ask(OURS)];
    t.equal(theirs.status, 200, theirs.bytes.toString());
    t.same(theirs.json(), ours.json());
    t.equal(theirs.headers.get('x-embedding-model'), OURS, 'the answer says what served');
    checkProblem(t, await ask('openai'), 500, /OPENAI_API_KEY/);
    const known = /there is no model ".*" here; available: .*chunksmith\/static-en-256/;
    for (const name of ['vendor/potion-base-8m', '../../etc/passwd', 'a b'])
      checkProblem(t, await ask(name), 400, [known, /--allow-downloads/]);
  }
  const config = { embedding_model: THEIRS };
  const steps = [chunkStep('semantic', config), refineStep('embeddings', config)];
  t.equal((await execute(steps, { text })).status, 200);
  const models = await openers.listModels();
  t.ok(models.find(({ name }) => name === OURS)?.aliases?.includes(THEIRS), 'the list of models has it');
});

t.test('a model that a plugin knows by name but cannot open here is 500 with the remedy', async (t) => {
  const index = 'export default () => ({ list: () => [], open: async () => undefined });';
  const keyless = { models: ['keyless/*'], needs: { env: ['NO_SUCH_KEY'] } };
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'embedding', name: 'lacking', models: ['lacking/one', 'lacks-*'] }, index),
    plugin({ kind: 'embedding', name: 'keyless', ...keyless }, index),
  );
  const { post } = await openService(t, { pluginsDir: [folder] });
  for (const [embedding_model, remedy] of [
    ['lacking/one', /files of the model "lacking\/one" are not on .*: put them .* --allow-downloads/],
    ['lacks-two', /files of the model "lacks-two" are not on this machine/],
    ['keyless/one', /set the environment variable NO_SUCH_KEY/],
  ] as const) {
    checkProblem(t, await post('/v1/embed', { text: 'abc', embedding_model }), 500, remedy);
  }
});

const REFUSED = 'an unknown tokenizer is refused with the closest name and how to install one, if one can be';
t.test(REFUSED, needs('tokenizer/huggingface', 'tokenizer/tiktoken', 'tokenizer/word'), async (t) => {
  const { openers } = await composeQuietly({ modelsDir: '/nowhere', hfHubCache: '/nowhere' });
  const detailOf = (name: string) => openers.tokenizer(name).then(String, String);
  for (const [name, near] of [
    ['gpt4', 'gpt-4'],
    ['Character', 'character'],
    ['cl100k-base', 'cl100k_base'],
    ['gpt-2', 'gpt2'],
    ['words', 'word'],
  ] as const) {
    const refusal = new RegExp(`there is no tokenizer "${name}"; .* Did you mean "${near}"\\?`);
    t.match(await detailOf(name), refusal);
  }
  const detail = await detailOf('bert-base-uncased');
  t.match(detail, /available: .*character/);
  t.match(detail, /put its tokenizer.json into a folder of its name in the models folder, .* --allow-down/);
  t.ok(detail.length < 600, 'it does not list every model');
  const bare = (await composeQuietly({ plugins: ['character'] })).openers;
  t.match(await bare.tokenizer('bert-base-uncased').then(String, String), /available: character\.$/);
});
