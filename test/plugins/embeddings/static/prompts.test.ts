import t from 'tap';
import {
  configOf,
  createProviderWithFolder,
  openModel,
  safetensors,
  TOKENIZER,
  tensor,
  WORDS,
} from './support/models.ts';

const NUMBERS = Array.from({ length: WORDS.length * 3 }, (_, index) => index * index);
const FILES = {
  'config.json': configOf({}),
  'tokenizer.json': TOKENIZER,
  'model.safetensors': safetensors({ embeddings: tensor('F32', [WORDS.length, 3], NUMBERS) }),
};
const { signal } = new AbortController();

t.test('the purpose of a request chooses the prompt of a static model', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  await add('plain', FILES);
  await add('prompted', {
    ...FILES,
    'config_sentence_transformers.json': JSON.stringify({ prompts: { query: 'black ', document: 'white ' } }),
  });
  await add('odd', { ...FILES, 'config_sentence_transformers.json': '{' });
  const [plain, prompted, odd] = await Promise.all(
    ['plain', 'prompted', 'odd'].map((name) => openModel(provider, name)),
  );
  const vector = async (model: typeof plain, text: string, purpose: 'query' | 'document' | 'similarity') => [
    ...((await model?.embed([text], { purpose, signal }))?.values ?? []),
  ];
  t.same(await vector(prompted, 'red', 'query'), await vector(plain, 'black red', 'query'));
  t.same(await vector(prompted, 'red', 'document'), await vector(plain, 'white red', 'query'));
  t.same(await vector(prompted, 'red', 'similarity'), await vector(plain, 'red', 'query'));
  t.same(await vector(odd, 'red', 'query'), await vector(plain, 'red', 'query'), 'a broken file has none');
});
