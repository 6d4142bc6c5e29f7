import t, { type Test } from 'tap';
import { PURPOSES, type Purpose } from '../../../../core/contracts/embedding.ts';
import { promptsOf } from '../../../../core/engine/prompts.ts';
import { tokenVectors } from '../../../fixtures/embeddings/transformer/model.ts';
import { startServer } from '../../../support/server.ts';
import { FILES, type Files, NAME, TINY, WORDS, writeModel } from './support/model.ts';

/** What a model wants before a text, by what its vector is for. */

const PROMPTS = { prompts: { query: 'rain ', passage: 'sun ', other: 'moon ' } };

const plain = await startServer(t, { modelsDir: await writeModel(t, FILES) });

/** Vectors over HTTP: of a text for each purpose, and of any text by a model without prompts. */
async function vectorsOf(t: Test, files: Files) {
  const { post } = await startServer(t, { modelsDir: await writeModel(t, { ...FILES, ...files }) });
  const embed = async (send: typeof post, text: string, purpose: Purpose) => {
    const answer = await send('/v1/embed', { text, purpose, embedding_model: NAME, encoding: 'base64' });
    return answer.json<{ embeddings: string[] }>().embeddings[0];
  };
  return {
    purposed: (purpose: Purpose) => embed(post, 'tea milk', purpose),
    plain: (text: string) => embed(plain.post, text, 'document'),
  };
}

t.test('the purpose of a request chooses the prompt', async (t) => {
  const { purposed, plain } = await vectorsOf(t, { 'config_sentence_transformers.json': PROMPTS });
  t.equal(await purposed('query'), await plain('rain tea milk'));
  t.equal(await purposed('document'), await plain('sun tea milk'));
  t.equal(await purposed('similarity'), await plain('tea milk'));
});

t.test('the default prompt is for purposes that have none', async (t) => {
  const config = { prompts: { query: 'rain ', other: 'moon ' }, default_prompt_name: 'other' };
  const { purposed, plain } = await vectorsOf(t, { 'config_sentence_transformers.json': config });
  t.equal(await purposed('query'), await plain('rain tea milk'));
  t.equal(await purposed('document'), await plain('moon tea milk'));
  t.equal(await purposed('similarity'), await plain('moon tea milk'));
});

t.test('tokens of a prompt can be left out of the mean', async (t) => {
  const modelsDir = await writeModel(t, {
    ...FILES,
    'config_sentence_transformers.json': PROMPTS,
    '1_Pooling/config.json': { pooling_mode_mean_tokens: true, include_prompt: false },
  });
  const { post } = await startServer(t, { modelsDir });
  for (const [purpose, prompt] of [
    ['query', ['[CLS]', 'rain']],
    ['similarity', []],
  ] as const) {
    const answer = await post('/v1/embed', { text: 'tea milk', purpose, embedding_model: NAME });
    const [vector = []] = answer.json<{ embeddings: number[][] }>().embeddings;
    const words = [...(prompt.length > 0 ? prompt : ['[CLS]']), 'tea', 'milk', '[SEP]'];
    const rows = tokenVectors(
      TINY,
      words.map((word) => WORDS.indexOf(word)),
    ).slice(prompt.length);
    const mean = vector.map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length);
    const furthest = Math.max(...vector.map((value, at) => Math.abs(value - (mean[at] as number))));
    t.ok(vector.length === 8 && furthest < 1e-5, `${purpose}: ${furthest}`);
  }
});

t.test('without the file, or with a file of other shape, nothing is put before a text', async (t) => {
  for (const config of [undefined, null, 1, [], {}, { prompts: [] }, { prompts: { query: 1 } }]) {
    t.same(promptsOf(config), Object.fromEntries(PURPOSES.map((purpose) => [purpose, ''])));
  }
  t.equal(promptsOf({ prompts: { document: 'a', passage: 'b' } }).document, 'a');
  t.equal(promptsOf({ prompts: { corpus: 'c' } }).document, 'c');
});
