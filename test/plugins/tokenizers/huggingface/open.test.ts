import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { SharedBuffers, SharedMemory } from '../../../../core/contracts/collaborators.ts';
import type { TokenizerProvider } from '../../../../core/contracts/tokenizer.ts';
import createHuggingFaceTokenizers from '../../../../plugins/tokenizers/huggingface/index.ts';
import type { HubSettings } from '../../../../server/config/hub-settings.ts';
import { ownBuffers } from '../../../../server/engine/run/shared-buffers.ts';
import { createModelFiles } from '../../../../server/plugins/hub/model-files.ts';
import { collaborators, quietLog } from '../../../../server/testing/collaborators.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  TRAINING_TEXT,
  unigram,
  wordPieceOf,
} from '../../../fixtures/tokenizers/tokenizer-files.ts';
import { settingsFor, startHubServer } from '../../../support/model-hub.ts';
import { withModel } from './support/files.ts';
import { createOracle, open } from './support/open.ts';

async function createProvider(t: Test, fields: Partial<HubSettings> = {}, shared = ownBuffers) {
  const settings = settingsFor(t, { allowDownloads: false, ...fields });
  const models = createModelFiles({ settings, log: quietLog });
  const provider = (await createHuggingFaceTokenizers(
    collaborators({ models, shared }),
  )) as TokenizerProvider;
  const add = async (name: string, json: string): Promise<void> => {
    await mkdir(join(settings.modelsDir, name), { recursive: true });
    await writeFile(join(settings.modelsDir, name, 'tokenizer.json'), json);
  };
  return { provider, settings, add };
}

t.test('opens the three families by name', async (t) => {
  const { provider, add } = await createProvider(t);
  const families = { 'small-gpt': byteLevelBpe(), 'owner/llama': metaspaceBpe(), 'owner/xlm': unigram() };
  for (const [name, file] of Object.entries({ ...families, bert: bertWordPiece() }))
    await add(name, JSON.stringify(file));
  t.same(await provider.names(), ['bert', 'owner/llama', 'owner/xlm', 'small-gpt']);
  for (const name of await provider.names()) t.equal((await provider.open(name))?.name, name);
  t.equal(await provider.open('other'), undefined);
  t.equal(await provider.open('../models/bert'), undefined);
});

t.test('a thread reads the vocabulary that another has read', async (t) => {
  const built = new Map<string, SharedMemory>();
  const shared: SharedBuffers = {
    async get(key, build) {
      const memory = built.get(key) ?? (await build());
      built.set(key, memory);
      return memory as Awaited<ReturnType<typeof build>>;
    },
    release() {},
  };
  const { provider, add } = await createProvider(t, {}, shared);
  await add('bert', JSON.stringify(bertWordPiece()));
  const one = await provider.open('bert');
  await add('bert', 'no longer JSON');
  const other = await provider.open('bert');
  t.same(other?.encode?.(TRAINING_TEXT), one?.encode?.(TRAINING_TEXT));
  t.same(other?.specialTokens, one?.specialTokens);
});

t.test('says which file cannot be used and why, and tries again', async (t) => {
  const { provider, add, settings } = await createProvider(t);
  await add('broken', '{"model":');
  const model = { type: 'WordLevel', vocab: {} };
  await add('owner/word-level', JSON.stringify({ ...bertWordPiece(), model }));
  await t.rejects(provider.open('broken'), /"broken" cannot be used: .*JSON/);
  const error = await provider.open('owner/word-level').catch((error: Error) => error);
  t.match(error, { message: /"owner\/word-level" cannot be used: .*WordLevel/ });
  t.notMatch((error as Error).message, settings.modelsDir);
  await add('broken', JSON.stringify(bertWordPiece()));
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

t.test('a stretch of a long text has as many tokens as the stretch alone', async () => {
  const tokenizer = open(bertWordPiece());
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
  const pieces = fc.array(piece, { minLength: 1, maxLength: 40 }).map((given) => given.join(''));
  const stretches = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 20, maxLength: 20 });
  const holds = fc.property(pieces, stretches, (part, given) => {
    const text = part.repeat(Math.ceil(2100 / part.length));
    const tokens = tokenizer.tokenize(text);
    return given.every((places) => {
      const [start = 0, end = 0] = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
      return tokens.count(start, end) === tokenizer.tokenize(text.slice(start, end)).ends().length;
    });
  });
  fc.assert(holds, { numRuns: 30 });
});

t.test('says what is wrong with a file', async (t) => {
  const bert = bertWordPiece();
  for (const [file, message] of [
    [{}, /no model/],
    [{ ...bert, model: { type: 'WordLevel', vocab: {} } }, /WordLevel.*BPE, WordPiece and Unigram/],
    [{ ...bert, normalizer: { type: 'Nmt' } }, /Nmt/],
    [{ ...bert, pre_tokenizer: { type: 'CharDelimiterSplit' } }, /CharDelimiterSplit/],
    [{ ...bert, normalizer: 7 }, /stage without a type/],
    [withModel(bert, { vocab: [] }), /vocabulary/],
    [withModel(bert, { vocab: { a: 'b' } }), /not a number/],
    [withModel(byteLevelBpe(), { merges: 'a b' }), /merges/],
    [withModel(byteLevelBpe(), { merges: [['a']] }), /pair/],
    [withModel(unigram(), { vocab: [] }), /scores/],
    [{ ...bert, added_tokens: [{}] }, /added token/],
  ] as const)
    t.throws(() => open(file), message);
});

/** The words are tokens, `ish` may follow one, and all else is unknown. */
const COLOURS = {
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  model: wordPieceOf(['[UNK]', 'red', 'green', 'blue', '##ish']),
};

t.test(
  'a vocabulary is the same, packed or not, with escapes, added tokens and tokens given twice',
  async (t) => {
    const json = JSON.stringify({
      ...bertWordPiece(),
      added_tokens: [{ id: 900, content: '##zz', special: false }],
      model: wordPieceOf(['[UNK]', 'fox', '\\', '"', '{', '}', '##é', 'fox##']),
    });
    for (const change of [
      (text: string) => text,
      (text: string) => JSON.stringify(JSON.parse(text), null, 2),
      (text: string) => text.replace('"fox":1', '"fox":9,"f\\u006fx":1'),
      (text: string) => text.replace('"fox":1', '"fox":1e0'),
      (text: string) => `{"vocab":{"fox":7},${text.slice(1)}`,
    ]) {
      const { encode } = open(JSON.parse(json), change(json));
      const ids = [...(encode?.('Foxzz fox\\"{}"\\ fox## foxé') ?? [])];
      t.same(ids, createOracle(JSON.parse(json))('Foxzz fox\\"{}"\\ fox## foxé').ids);
    }
  },
);

t.test('a token that the vocabulary lacks has an id that no other has', async (t) => {
  const tokenizer = open({ ...COLOURS, model: { ...COLOURS.model, unk_token: null } });
  t.same([...(tokenizer.encode?.('red purple blue') ?? [])], [1, 2 ** 32 - 1, 3]);
});

t.test('the special tokens are what the post-processor puts around a text', async (t) => {
  const specialTokensOf = (post_processor: unknown) => open({ ...COLOURS, post_processor }).specialTokens;
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const template = {
    type: 'TemplateProcessing',
    single: [token('<s>'), token('<lang>'), text, token('</s>')],
    special_tokens: { '<s>': { ids: [1] }, '<lang>': { ids: [7, 8] }, '</s>': { ids: [2] } },
  };
  const bert = { type: 'BertProcessing', sep: ['[SEP]', 102], cls: ['[CLS]', 101] };
  for (const [processor, prefix, suffix] of [
    [null, [], []],
    [{ type: 'ByteLevel', trim_offsets: true }, [], []],
    [bert, [101], [102]],
    [{ ...bert, type: 'RobertaProcessing' }, [101], [102]],
    [template, [1, 7, 8], [2]],
    [{ type: 'Sequence', processors: [bert, template] }, [1, 7, 8, 101], [102, 2]],
  ])
    t.same(specialTokensOf(processor), { prefix, suffix });
  for (const broken of [
    { ...template, single: undefined },
    { ...template, single: [token('<s>')] },
    { ...template, special_tokens: {} },
    { ...bert, cls: undefined },
  ])
    t.throws(() => specialTokensOf(broken), { message: /its post-processor has/ });
});
