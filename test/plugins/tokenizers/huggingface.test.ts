import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { Settings, Tokenizer, TokenizerProvider } from '../../../core/contracts.ts';
import createHuggingFaceTokenizers from '../../../plugins/tokenizers/huggingface/index.ts';
import manifest from '../../../plugins/tokenizers/huggingface/manifest.ts';
import { createModelFiles } from '../../../server/models/model-files.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  unigram,
} from '../../fixtures/tokenizers/tokenizer-files.ts';
import { ownBuffers } from '../../support/service.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

async function createProvider(t: Test, fields: Partial<Settings> = {}) {
  const root = t.testdir({ models: {} });
  const settings: Settings = {
    modelsDir: join(root, 'models'),
    hubCacheDir: join(root, 'cache'),
    allowDownloads: false,
    hubEndpoint: 'http://127.0.0.1:1',
    hubToken: '',
    hubRevision: 'main',
    memoryBytes: 1e9,
    ...fields,
  };
  const provider: TokenizerProvider = await createHuggingFaceTokenizers({
    settings,
    log,
    shared: ownBuffers,
    models: createModelFiles({ settings, log }),
    env: {},
  });
  const add = async (name: string, file: object | string): Promise<void> => {
    await mkdir(join(settings.modelsDir, name), { recursive: true });
    const json = typeof file === 'string' ? file : JSON.stringify(file);
    await writeFile(join(settings.modelsDir, name, 'tokenizer.json'), json);
  };
  return { provider, settings, add };
}

t.test('opens the three families by name', async (t) => {
  const { provider, add } = await createProvider(t);
  await add('small-gpt', byteLevelBpe());
  await add('owner/llama', metaspaceBpe());
  await add('bert', bertWordPiece());
  await add('owner/xlm', unigram());
  t.same(await provider.names(), ['bert', 'owner/llama', 'owner/xlm', 'small-gpt']);
  for (const name of await provider.names()) {
    const tokenizer = await provider.open(name);
    t.equal(tokenizer?.name, name);
    const text = 'The quick brown fox, 👍🏽!';
    const tokens = tokenizer?.tokenize(text);
    t.ok((tokens?.count(0, text.length) ?? 0) > 5);
    t.equal(tokens?.ends().at(-1), text.length);
    t.equal(tokens?.count(4, 4), 0);
    t.same([...(tokenizer?.tokenize('').ends() ?? [])], []);
  }
  t.equal(await provider.open('other'), undefined);
  t.equal(await provider.open('../models/bert'), undefined);
});

t.test('loads a tokenizer once, however many ask', async (t) => {
  const { provider, settings, add } = await createProvider(t);
  await add('bert', bertWordPiece());
  const opened = await Promise.all([provider.open('bert'), provider.open('bert')]);
  t.equal(opened[0], opened[1]);
  await rm(join(settings.modelsDir, 'bert'), { recursive: true });
  t.equal(await provider.open('bert'), opened[0]);
});

t.test('keeps a bounded number, and forgets the least recently used', async (t) => {
  const { provider, add } = await createProvider(t);
  const names = Array.from({ length: 9 }, (_, index) => `bert-${index}`);
  for (const name of names) await add(name, bertWordPiece());
  const [first, second] = [await provider.open('bert-0'), await provider.open('bert-1')];
  for (const name of names.slice(2, 8)) await provider.open(name);
  for (let index = 0; index < 20; index++) await provider.open(`missing-${index}`);
  t.equal(await provider.open('bert-0'), first, 'names that are not there push nothing out');
  await provider.open('bert-8');
  t.equal(await provider.open('bert-0'), first);
  t.not(await provider.open('bert-1'), second);
});

t.test('says which file cannot be used and why, and tries again', async (t) => {
  const { provider, add, settings } = await createProvider(t);
  await add('broken', '{"model":');
  await add('owner/word-level', { ...bertWordPiece(), model: { type: 'WordLevel', vocab: {} } });
  await t.rejects(provider.open('broken'), /"broken" cannot be used: .*JSON/);
  const error = await provider.open('owner/word-level').catch((error: Error) => error);
  t.match(error, { message: /"owner\/word-level" cannot be used: .*WordLevel/ });
  t.notMatch((error as Error).message, settings.modelsDir);
  await add('broken', bertWordPiece());
  t.ok(await provider.open('broken'));
});

t.test('downloads from the hub when that is allowed', async (t) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    if (request.url === '/owner/bert/resolve/main/tokenizer.json')
      response.end(JSON.stringify(bertWordPiece()));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const hubEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { provider } = await createProvider(t, { hubEndpoint, allowDownloads: true });
  const opened = await Promise.all([provider.open('owner/bert'), provider.open('owner/bert')]);
  t.ok(opened[0]);
  t.equal(opened[0], opened[1]);
  t.equal(requests, 1);
  t.equal(await provider.open('owner/other'), undefined);
  t.same(await provider.names(), ['owner/bert']);
});

t.test('the manifest answers to every name that no other has', async (t) => {
  t.match(manifest, { kind: 'tokenizer', name: 'huggingface', models: ['*'] });
});

t.test('a stretch of a long text has as many tokens as the stretch alone', async (t) => {
  const { provider, add } = await createProvider(t);
  await add('words', bertWordPiece());
  const tokenizer = (await provider.open('words')) as Tokenizer;
  const piece = fc.constantFrom(
    'hello ',
    'world',
    ' ',
    '\n\n',
    '中文',
    'unaffable',
    '😀',
    '. ',
    'a'.repeat(30),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
      (pieces, places) => {
        const text = pieces.join('').repeat(Math.ceil(2100 / pieces.join('').length));
        const tokens = tokenizer.tokenize(text);
        for (let index = 0; index < places.length; index += 2) {
          const [start, end] = places
            .slice(index, index + 2)
            .map((place) => place % (text.length + 1))
            .sort((a, b) => a - b) as [number, number];
          const alone = text.slice(start, end);
          t.equal(tokens.count(start, end), tokenizer.tokenize(alone).ends().length);
        }
      },
    ),
    { numRuns: 100 },
  );
});
