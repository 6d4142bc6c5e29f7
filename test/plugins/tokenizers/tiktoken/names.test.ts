import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';
import type { SharedBuffers } from '../../../../core/contracts/collaborators.ts';
import { ownersOf } from '../../../../core/hosting/registry.ts';
import { startServer } from '../../../support/server.ts';
import { composeQuietly } from '../../../support/service.ts';
import { createProvider, ENCODINGS, openTokenizer } from './support/open.ts';

/** The table of the package. */
const TABLE: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('tiktoken/model_to_encoding.json'), 'utf8'),
);

const VERSIONS: Readonly<Record<string, string>> = {
  'gpt-4-0000-preview': 'cl100k_base',
  'gpt-4o-2099-01-01': 'o200k_base',
  'gpt-4.1-micro': 'o200k_base',
  'gpt-5-large': 'o200k_base',
  'o3-2099-01-01': 'o200k_base',
  'gpt-35-turbo-16k': 'cl100k_base',
  'gpt-oss-120b': 'o200k_harmony',
  'ft:gpt-4o-mini-2024-07-18:my-org:custom:id': 'o200k_base',
  'ft:gpt-4-0613:my-org::id': 'cl100k_base',
  'ft:davinci-002:my-org::id': 'cl100k_base',
};

const { registry, openers } = await composeQuietly();

t.test('every model of the table of tiktoken, and versions of them, open their encoding', async (t) => {
  t.ok(Object.keys(TABLE).length > 100);
  for (const [name, encoding] of Object.entries({ ...TABLE, ...VERSIONS })) {
    const owners = ownersOf(registry, 'tokenizer', name).map(({ id }) => id);
    t.same(owners, ['tokenizer/tiktoken'], name);
    t.equal((await openers.tokenizer(name)).name, encoding, name);
  }
});

/** A provider whose tables are built as a test says. */
const providerThat = (get: SharedBuffers['get']) => createProvider({ get, release() {} });

t.test('names that tiktoken does not know open nothing, and build no table', async (t) => {
  const built: string[] = [];
  const provider = await providerThat(async (key, build) => {
    built.push(key);
    return build();
  });
  t.strictSame(provider.names(), ENCODINGS);
  for (const name of 'gpt gpt4 gpt5 gpt-40 gpt-4oo o1x ft: ft:curie text-davinci-999 adam'.split(' '))
    t.equal(await provider.open(name), undefined, name);
  t.strictSame(built, []);
  t.equal((await provider.open('gpt2'))?.name, 'gpt2');
  t.strictSame(built, ['tiktoken/unicode-classes', 'tiktoken/gpt2']);
});

t.test('models of one encoding share its tokenizer', async (t) => {
  const provider = await createProvider();
  const opened = await Promise.all(['gpt-4o', 'o3-mini', 'o200k_base'].map((name) => provider.open(name)));
  t.equal(new Set(opened).size, 1);
  t.ok(opened[0]);
});

t.test('a request counts with the encoding of the model that it names; some are documented', async (t) => {
  const { post, get } = await startServer(t);
  const text = 'Naïve tokenizers count 1,234,567 words; better ones count tokens. 漢字 👍🏽';
  for (const [tokenizer, name] of [
    ['gpt-4', 'cl100k_base'],
    ['gpt-oss-20b', 'o200k_harmony'],
  ] as const) {
    const token_count = (await openTokenizer(name)).encode(text).length;
    const answer = await post('/v1/chunk/token', { text, tokenizer, chunk_size: 1000 });
    t.match(answer.json(), [{ text, token_count }], tokenizer);
  }
  const openapi = (await get('/openapi.json')).bytes.toString();
  for (const name of [...ENCODINGS, 'gpt-4o,']) t.ok(openapi.includes(name), `the documentation has ${name}`);
  t.notOk(openapi.includes('cushman-codex'), 'but not all of them');
});

t.test('opens again after a failure', async (t) => {
  let fails = true;
  const provider = await providerThat(async (_key, build) => {
    if (fails) throw new Error('no memory');
    return build();
  });
  await t.rejects(provider.open('gpt2'), { message: 'no memory' });
  fails = false;
  t.equal((await provider.open('gpt2'))?.tokenize('hello world').count(0, 11), 2);
});
