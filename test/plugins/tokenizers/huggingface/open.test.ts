import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { Tokenizer, TokenizerProvider } from '../../../../core/contracts/tokenizer.ts';
import createHuggingFaceTokenizers from '../../../../plugins/tokenizers/huggingface/index.ts';
import manifest from '../../../../plugins/tokenizers/huggingface/manifest.ts';
import { createModelFiles } from '../../../../server/hub/model-files.ts';
import type { HubSettings } from '../../../../server/hub/settings.ts';
import { collaborators, quietLog } from '../../../../server/testing/collaborators.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  unigram,
} from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { settingsFor, startHubServer } from '../../../support/model-hub.ts';

async function createProvider(t: Test, fields: Partial<HubSettings> = {}) {
  const settings = settingsFor(t, { allowDownloads: false, ...fields });
  const provider: TokenizerProvider = (await createHuggingFaceTokenizers(
    collaborators({ models: createModelFiles({ settings, log: quietLog }) }),
  )) as TokenizerProvider;
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
  const { asked, origin } = await startHubServer(t, (request, response) => {
    if (request.url === '/owner/bert/resolve/main/tokenizer.json')
      response.end(JSON.stringify(bertWordPiece()));
    else response.writeHead(404).end();
  });
  const { provider } = await createProvider(t, { hubEndpoint: origin, allowDownloads: true });
  const opened = await Promise.all([provider.open('owner/bert'), provider.open('owner/bert')]);
  t.ok(opened.every((tokenizer) => tokenizer?.name === 'owner/bert'));
  t.equal(asked.length, 1);
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
        return places.every((place, index) => {
          const [start, end] = [place, places[index + 1] ?? 0]
            .map((offset) => offset % (text.length + 1))
            .sort((a, b) => a - b) as [number, number];
          return tokens.count(start, end) === tokenizer.tokenize(text.slice(start, end)).ends().length;
        });
      },
    ),
    { numRuns: 100 },
  );
});
