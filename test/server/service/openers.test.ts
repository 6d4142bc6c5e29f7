import t from 'tap';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import type { TokenizerProvider } from '../../../core/contracts/tokenizer.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { createRegistry } from '../../../core/hosting/registry.ts';
import { createOpeners, keepTokenizers } from '../../../server/service/openers.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { needs } from '../../support/here.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { composeQuietly } from '../../support/service.ts';

/** A plugin of tokenizers that come and go, kept, and the names that the plugin itself was asked for. */
function keepMadeUp(names: readonly string[]) {
  const there = new Set(names);
  const broken = new Set<string>();
  const asked: string[] = [];
  const plugin: TokenizerProvider = {
    names: () => [...there],
    async open(name) {
      asked.push(name);
      if (broken.has(name)) throw new Error(`"${name}" cannot be used`);
      return there.has(name) ? { name, tokenize: () => fail() } : undefined;
    },
  };
  return { provider: keepTokenizers(plugin, quietLog), asked, there, broken };
}

function fail(): never {
  throw new Error('not for this test');
}

t.test('a tokenizer is opened once and stays open, also when its files are gone', async (t) => {
  const { provider, asked, there } = keepMadeUp(['bert']);
  const [one, other] = await Promise.all([provider.open('bert'), provider.open('bert')]);
  t.equal(one?.name, 'bert');
  t.equal(other, one);
  there.delete('bert');
  t.equal(await provider.open('bert'), one);
  t.same(await provider.names(), []);
  t.same(asked, ['bert']);
});

t.test('eight tokenizers of a plugin stay open, and the least recently used is forgotten', async (t) => {
  const names = Array.from({ length: 9 }, (_, index) => `bert-${index}`);
  const [first, second] = names as [string, string];
  const { provider, asked } = keepMadeUp(names);
  for (const name of names.slice(0, 8)) await provider.open(name);
  for (let index = 0; index < 10; index++) t.equal(await provider.open(`no-such-${index}`), undefined);
  for (const name of names.slice(0, 8)) await provider.open(name);
  const opened = asked.filter((name) => !name.startsWith('no-such'));
  t.same(opened, names.slice(0, 8), 'names that do not exist displace nothing');
  asked.length = 0;
  await provider.open('no-such-0');
  await provider.open(first);
  await provider.open(names[8] as string);
  await provider.open(first);
  await provider.open(second);
  t.same(asked, ['no-such-0', names[8], second], 'nor are they kept');
});

t.test('a tokenizer that could not be opened is tried again', async (t) => {
  const { provider, asked, broken } = keepMadeUp(['bert']);
  broken.add('bert');
  const both = [provider.open('bert'), provider.open('bert')];
  for (const one of both) await t.rejects(one, { message: /"bert" cannot be used/ });
  t.same(asked, ['bert']);
  broken.delete('bert');
  t.equal((await provider.open('bert'))?.name, 'bert');
  t.same(asked, ['bert', 'bert']);
});

t.test('requests and plugins are given the same tokenizer', async (t) => {
  const { openers, host } = await composeQuietly({ pluginsDir: [FIXTURES] });
  const [one, other] = await Promise.all([openers.tokenizer('words'), openers.tokenizer('words')]);
  t.equal(one, other);
  t.equal(await (await host.get('tokenizer', 'words')).open('words'), one);
  await t.rejects(openers.tokenizer('no-such'), { code: 'unknown_tokenizer', message: /"no-such"/ });
});

const MANIFEST: Manifest = {
  kind: 'embedding',
  name: 'made-up',
  summary: 'For a test.',
  models: ['*'],
} as Manifest;

interface Opening {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly end: () => void;
}

interface Given {
  readonly maxModels: number;
  readonly maxModelBytes: number;
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly close: () => void;
}

/**
 * Openers with one plugin of models. They are as large as their names say, `one-40` has 40 bytes; those named
 * `slow-…` open when the test says so, `bad-…` fail, and `alias` is another name of `named-1`.
 */
function createModels({
  maxModels = 2,
  maxModelBytes = 100,
  modelAliases = {},
  close = () => {},
}: Partial<Given> = {}) {
  const openings: Opening[] = [];
  const closed: string[] = [];
  const warnings: unknown[] = [];
  const makeModel = (asked: string): EmbeddingModel => {
    const name = asked === 'alias' ? 'named-1' : asked;
    return {
      name,
      bytes: Number(name.split('-')[1]),
      tokenizer: async () => fail(),
      embed: async () => fail(),
      close: () => {
        closed.push(name);
        return close();
      },
    };
  };
  const provider: EmbeddingProvider = {
    list: () => [{ name: 'named-1', aliases: ['alias'] }],
    async open(name, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      openings.push({ name, signal, end: resolve });
      if (name.startsWith('bad')) throw new Error('it is broken');
      if (name.startsWith('slow')) await promise;
      return name.startsWith('no-such') ? undefined : makeModel(name);
    },
  };
  const openers = createOpeners({
    registry: createRegistry([
      { id: 'embedding/made-up', manifest: MANIFEST, file: 'made-up', origin: 'folder', missing: [] },
    ]),
    host: { get: async () => provider, close: async () => {} } as unknown as PluginHost,
    log: { ...quietLog, warn: (...given) => void warnings.push(given) },
    config: { maxModels, maxModelBytes, modelAliases },
  });
  const use = async (name: string) => (await openers.model(name)).release();
  return { openers, openings, closed, warnings, use, opened: () => openings.map(({ name }) => name) };
}

t.test('those who wait for one model share its opening', async (t) => {
  const { openers, openings, opened } = createModels();
  const asked = [1, 2, 3].map(() => openers.model('slow-1'));
  await Promise.resolve();
  openings[0]?.end();
  const leases = await Promise.all(asked);
  t.same(opened(), ['slow-1']);
  t.equal(new Set(leases.map(({ value }) => value)).size, 1);
  t.same(
    leases.map(({ isNew }) => isNew),
    [true, false, false],
  );
});

t.test('an opening is aborted when the last request that waits is gone, and not before', async (t) => {
  const { openers, openings, opened } = createModels();
  const [one, other] = [new AbortController(), new AbortController()];
  const asked = [openers.model('slow-1', one.signal), openers.model('slow-1', other.signal)];
  await Promise.resolve();
  one.abort(new Error('one is gone'));
  await t.rejects(asked[0] as Promise<unknown>, { message: 'one is gone' });
  t.equal(openings[0]?.signal.aborted, false);
  other.abort(new Error('the other is gone'));
  await t.rejects(asked[1] as Promise<unknown>, { message: 'the other is gone' });
  t.equal(openings[0]?.signal.aborted, true);
  const anew = openers.model('slow-1');
  await Promise.resolve();
  openings[1]?.end();
  t.equal((await anew).isNew, true);
  t.same(opened(), ['slow-1', 'slow-1']);
  t.equal(openings[1]?.signal.aborted, false);
});

t.test('a model that could not be opened is tried again', async (t) => {
  const { openers, opened } = createModels();
  for (let round = 0; round < 2; round++) {
    await t.rejects(openers.model('bad-1'), { code: 'plugin_failed', message: /"made-up" failed/ });
    await t.rejects(openers.model('no-such'), {
      code: 'unknown_model',
      message: /"no-such" here; ready are named-1, alias\./,
    });
  }
  t.same(opened(), ['bad-1', 'no-such', 'bad-1', 'no-such']);
});

t.test('an alias opens the model', async (t) => {
  const { openers } = createModels();
  t.equal((await openers.model('alias')).value.name, 'named-1');
  t.match(await openers.listModels(), [{ name: 'named-1', provider: 'made-up' }]);
});

t.test('a model in use is not closed, and idle ones beyond --max-models are, once', async (t) => {
  const { openers, closed, use, opened } = createModels({ maxModels: 2 });
  const held = await openers.model('held-1');
  const again = await openers.model('held-1');
  for (const name of ['a-1', 'b-1', 'a-1', 'c-1']) await use(name);
  t.same(closed, ['b-1'], 'the least recently used');
  held.release();
  held.release();
  await use('d-1');
  t.same(closed, ['b-1', 'a-1'], 'a second release of one request is none of another');
  again.release();
  t.same(closed, ['b-1', 'a-1', 'c-1']);
  await use('held-1');
  t.same(opened(), ['held-1', 'a-1', 'b-1', 'c-1', 'd-1']);
});

t.test('idle models beyond --max-model-bytes are closed, and one that is larger than that', async (t) => {
  const { openers, closed, use } = createModels({ maxModels: 9, maxModelBytes: 100 });
  for (const name of ['a-40', 'b-40', 'c-20']) await use(name);
  t.same(closed, []);
  await use('d-30');
  t.same(closed, ['a-40']);
  const large = await openers.model('large-101');
  t.same(closed, ['a-40']);
  large.release();
  t.same(closed, ['a-40', 'large-101'], 'it displaces no other');
});

t.test('closing closes idle models, and those in use when they are released', async (t) => {
  const { openers, closed, use } = createModels();
  const held = await openers.model('held-1');
  await use('idle-1');
  await openers.close();
  t.same(closed, ['idle-1']);
  held.release();
  t.same(closed, ['idle-1', 'held-1']);
});

t.test('a model that cannot be closed is logged and harms nobody', async (t) => {
  const close = () => {
    throw new Error('stuck');
  };
  const { openers, warnings, use, closed } = createModels({ maxModels: 1, close });
  await use('a-1');
  await use('b-1');
  await openers.close();
  t.same(closed, ['a-1', 'b-1']);
  t.match(warnings, [
    [{ err: { message: 'stuck' }, model: 'a-1' }, /could not be closed/],
    [{ model: 'b-1' }, /could not be closed/],
  ]);
});

t.test('an alias opens the model that it stands for, once under all its names', async (t) => {
  const modelAliases = { 'their/model': 'named-1', mine: 'named-1', 'a-5': 'a-6' };
  const { openers, opened } = createModels({ modelAliases });
  const names = ['their/model', 'named-1', 'mine'];
  const leases = await Promise.all(names.map((name) => openers.model(name)));
  t.same(
    leases.map(({ value }) => value.name),
    ['named-1', 'named-1', 'named-1'],
  );
  t.same(opened(), ['named-1']);
  t.equal((await openers.model('a-5')).value.name, 'a-6', 'also where there is a model of that name');
  t.same(await openers.listModels(), [
    { name: 'named-1', aliases: ['alias', 'their/model', 'mine'], provider: 'made-up' },
  ]);
});

t.test('an alias of a model that is not there says so when it is used', async (t) => {
  const { openers } = createModels({ modelAliases: { theirs: 'no-such-model' } });
  await t.rejects(openers.model('theirs'), {
    code: 'unknown_model',
    message: /there is no model "no-such-model", for which "theirs" is an alias, here; ready are named-1/,
  });
});

const REFUSED = 'an unknown tokenizer is refused with the closest name and how to install one';
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
    t.match(
      await detailOf(name),
      new RegExp(`there is no tokenizer "${name}"; .* Did you mean "${near}"\\?`),
    );
  }
  const detail = await detailOf('bert-base-uncased');
  t.match(detail, /known are .*character/);
  t.match(
    detail,
    /put its tokenizer.json into a folder of its name in the models folder, .* --allow-downloads/,
  );
  t.ok(detail.length < 600, 'it does not list every model');
});

t.test(
  'where no plugin reads tokenizer.json, an unknown tokenizer is not said to be installable',
  async (t) => {
    const { openers } = await composeQuietly({ plugins: ['character'] });
    const detail = await openers.tokenizer('bert-base-uncased').then(String, String);
    t.match(detail, /known are character\.$/);
  },
);
