import t, { type Test } from 'tap';
import { PURPOSES, type Purpose } from '../../../../core/contracts/embedding.ts';
import { promptsOf } from '../../../../plugins/toolkit/prompts.ts';
import { tokenVectors } from '../../../fixtures/embeddings/transformer/model.ts';
import { openService } from '../../../support/service.ts';
import { checkClose, FILES, type Files, mean, NAME, TINY, WORDS, writeModel } from './support/model.ts';

/** What a model wants before a text, by what its vector is for. */

const PROMPTS = { prompts: { query: 'rain ', passage: 'sun ', other: 'moon ' } };

/** Vectors over HTTP: of a text for each purpose, or of any text. */
async function openVectors(t: Test, files: Files = {}) {
  const modelsDir = await writeModel(t, { ...FILES, ...files });
  const { post } = await openService(t, { modelsDir, plugins: PLUGINS });
  return async (purpose: Purpose, text = 'tea milk') => {
    const answer = await post('/v1/embed', { text, purpose, embedding_model: NAME });
    return answer.json<{ embeddings: [number[]] }>().embeddings[0];
  };
}

const PLUGINS = ['transformer', 'huggingface', 'character', 'token'];
const plain = await openVectors(t);

t.test('the purpose of a request chooses the prompt, and the default one is for those without', async (t) => {
  const other = { prompts: { query: 'rain ', other: 'moon ' }, default_prompt_name: 'other' };
  for (const [config, query, document, similarity] of [
    [PROMPTS, 'rain tea milk', 'sun tea milk', 'tea milk'],
    [other, 'rain tea milk', 'moon tea milk', 'moon tea milk'],
  ] as const) {
    const vectorFor = await openVectors(t, { 'config_sentence_transformers.json': config });
    for (const [purpose, text] of Object.entries({ query, document, similarity }))
      t.same(await vectorFor(purpose as Purpose), await plain('document', text), `${purpose}: ${text}`);
  }
});

t.test('tokens of a prompt can be left out of the mean', async (t) => {
  const vectorFor = await openVectors(t, {
    'config_sentence_transformers.json': PROMPTS,
    '1_Pooling/config.json': { pooling_mode_mean_tokens: true, include_prompt: false },
  });
  for (const [purpose, prompt, left] of [
    ['query', ['[CLS]', 'rain'], 2],
    ['similarity', ['[CLS]'], 0],
  ] as const) {
    const vector = await vectorFor(purpose);
    const ids = [...prompt, 'tea', 'milk', '[SEP]'].map((word) => WORDS.indexOf(word));
    const rows = tokenVectors(TINY, ids).slice(left);
    checkClose(t, vector, mean(rows), purpose);
  }
});

t.test('without the file, or with a file of other shape, nothing is put before a text', async (t) => {
  for (const config of [undefined, null, 1, [], {}, { prompts: [] }, { prompts: { query: 1 } }]) {
    t.same(promptsOf(config), Object.fromEntries(PURPOSES.map((purpose) => [purpose, ''])));
  }
  t.equal(promptsOf({ prompts: { document: 'a', passage: 'b' } }).document, 'a');
  t.equal(promptsOf({ prompts: { corpus: 'c' } }).document, 'c');
});
