import t, { type Test } from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { tokenVectors, writeOnnx } from '../../../fixtures/embeddings/transformer/model.ts';
import { isHere } from '../../../support/here.ts';
import { never } from '../../../support/hosted-host.ts';
import { startServer } from '../../../support/server.ts';
import { composeQuietly, openService } from '../../../support/service.ts';
import {
  checkClose,
  FILES,
  type Files,
  mean,
  NAME,
  type Pool,
  TINY,
  WORDS,
  writeModel,
} from './support/model.ts';

const TEXTS = ['tea milk', '', 'rain rain sun moon star water tea', 'x', 'milk .', 'sun '.repeat(20)];

async function open(t: Test, files: Files = {}): Promise<EmbeddingModel> {
  const { openers } = await composeQuietly({ modelsDir: await writeModel(t, { ...FILES, ...files }) });
  const lease = await openers.model(NAME, never);
  t.teardown(() => lease.release());
  return lease.value;
}

async function embed(model: EmbeddingModel, texts: readonly string[]): Promise<number[][]> {
  const { dimensions, values } = await model.embed(texts, { purpose: 'document', signal: never });
  return texts.map((_, index) => [...values.subarray(index * dimensions, (index + 1) * dimensions)]);
}

const idsOf = (text: string, most = 64) => {
  const own = (text.match(/\S+/g) ?? []).map((word) => Math.max(WORDS.indexOf(word), 1));
  return [2, ...own.slice(0, most - 2), 3];
};

const max: Pool = (rows) =>
  (rows[0] as number[]).map((_, at) => Math.max(...rows.map((row) => row[at] as number)));
const POOLINGS: Readonly<Record<string, Pool>> = {
  mean_tokens: mean,
  cls_token: (rows) => rows[0] as number[],
  max_tokens: max,
  lasttoken: (rows) => rows.at(-1) as number[],
};

for (const [mode, pooling] of Object.entries(POOLINGS)) {
  t.test(`${mode}: vectors are those of a plain computation, in whatever batch`, async (t) => {
    const config = { word_embedding_dimension: 8, [`pooling_mode_${mode}`]: true };
    const model = await open(t, { '1_Pooling/config.json': config });
    const together = await embed(model, TEXTS);
    for (const [index, text] of TEXTS.entries()) {
      const found = together[index] as number[];
      const [alone = []] = await embed(model, [text]);
      checkClose(t, found, pooling(tokenVectors(TINY, idsOf(text))), JSON.stringify(text));
      checkClose(t, alone, found, 'alone');
    }
  });
}

t.test('texts are cut at the longest that the model takes', async (t) => {
  const model = await open(t, { 'sentence_bert_config.json': { max_seq_length: 6 } });
  const text = 'tea milk water rain sun moon star';
  const [vector = []] = await embed(model, [text]);
  checkClose(t, vector, mean(tokenVectors(TINY, idsOf(text, 6))), 'six tokens');
});

t.test('its window is in the list, and counts a text as it is read', async (t) => {
  const prompts = { 'config_sentence_transformers.json': { prompts: { query: 'rain ' } } };
  for (const [files, window] of [
    [{}, 64],
    [{ 'sentence_bert_config.json': { max_seq_length: 6 } }, 6],
    [{ 'tokenizer_config.json': { model_max_length: 7 } }, 7],
    [{ 'tokenizer_config.json': { model_max_length: 1e30 } }, 64],
    [{ 'config.json': { model_type: 'bert' } }, 512],
  ] as const) {
    const modelsDir = await writeModel(t, { ...FILES, ...prompts, ...files });
    const { openers } = await composeQuietly({ modelsDir });
    const listed = (await openers.listModels()).find(({ name }) => name === NAME);
    t.equal(listed?.window, window);
    const { value, release } = await openers.model(NAME, never);
    t.equal(value.window?.tokens, window);
    t.equal(value.window?.count('tea milk', 'document'), 4);
    t.equal(value.window?.count('tea milk', 'query'), 5);
    release();
  }
  const broken = await composeQuietly({
    modelsDir: await writeModel(t, { ...FILES, 'config.json': 'not JSON' }),
  });
  const names = (await broken.openers.listModels()).map(({ name }) => name);
  t.ok(names.includes(NAME), 'a broken model does not hide the others');
});

t.test('a longer text is read to its end', async (t) => {
  const modelsDir = await writeModel(t, { ...FILES, 'sentence_bert_config.json': { max_seq_length: 6 } });
  const { post } = await openService(t, { modelsDir });
  const texts = [
    'tea milk water rain',
    'tea milk water rain sun',
    'tea milk water rain moon',
    'tea milk water rain sun star',
  ];
  const embedded = async (options: object) => {
    const answer = await post('/v1/embed', { text: texts, embedding_model: NAME, ...options });
    t.equal(answer.headers.get('x-embedding-cut'), '3');
    return answer.json<{ embeddings: number[][] }>().embeddings.map(String);
  };
  const whole = await embedded({});
  t.equal(new Set(whole).size, 4);
  const cut = await embedded({ long_texts: 'cut' });
  t.equal(new Set(cut).size, 1);
  t.equal(cut[0], whole[0], 'a text that fits is as it was');
});

t.test('many texts come back in order, and it says how far it is', async (t) => {
  const model = await open(t);
  const texts = Array.from({ length: 300 }, (_, at) => 'tea milk rain sun '.repeat(1 + ((at * 7) % 14)));
  const counts: number[] = [];
  const progress = (done: number) => counts.push(done);
  const { values } = await model.embed(texts, { purpose: 'document', signal: never, progress });
  for (const at of [0, 1, 150, 299]) {
    const wanted = mean(tokenVectors(TINY, idsOf(texts[at] as string)));
    checkClose(t, [...values.subarray(at * 8, (at + 1) * 8)], wanted, `${at}`);
  }
  t.equal(counts.at(-1), 300);
  const longest = idsOf(texts[13] as string).length;
  t.ok((counts.at(-1) as number) - (counts.at(-2) as number) <= 512 / longest, 'runs are bounded in tokens');
  const gone = AbortSignal.abort(new Error('gone'));
  await t.rejects(model.embed(texts, { purpose: 'document', signal: gone }), { message: 'gone' });
});

t.test('a Normalize module gives length 1', async (t) => {
  const model = await open(t, { 'modules.json': [{ type: 'sentence_transformers.models.Normalize' }] });
  const [vector = []] = await embed(model, ['tea milk']);
  t.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
});

t.test('a graph may want token types, or give the finished vector', async (t) => {
  for (const [graph, pool] of [
    [{ tokenTypes: true }, mean],
    [{ sentenceEmbedding: true }, max],
  ] as const) {
    const model = await open(t, { 'onnx/model.onnx': writeOnnx(TINY, graph) });
    const [vector = []] = await embed(model, ['tea milk']);
    checkClose(t, vector, pool(tokenVectors(TINY, idsOf('tea milk'))), JSON.stringify(graph));
  }
});

t.test('what cannot be used says why, and shows no path', async (t) => {
  const weighted = { pooling_mode_weightedmean_tokens: true };
  for (const [file, content, reason] of [
    ['onnx/model.onnx', 'not onnx', /the ONNX file of "made\/tiny" cannot be loaded/],
    ['config.json', 'not json', /config\.json of "made\/tiny" is not JSON/],
    ['1_Pooling/config.json', weighted, /pooling of "made\/tiny" is not supported/],
  ] as const) {
    const error = await open(t, { [file]: content }).catch((error: Error) => error);
    t.match(error, { message: reason });
    t.notMatch(String(error), /\/(tmp|work|home)/);
  }
  const { openers } = await composeQuietly({ modelsDir: await writeModel(t, { 'config.json': {} }) });
  await t.rejects(openers.model(NAME, never), { code: 'unknown_model' });
});

t.test('through the service and the semantic chunker, in a worker', async (t) => {
  const { post, get, chunk } = await startServer(t, { modelsDir: await writeModel(t, FILES), workers: 1 });
  const answer = await post('/v1/embed', { text: 'tea milk', embedding_model: NAME });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-embedding-model'), NAME);
  t.equal(answer.json<{ embeddings: number[][] }>().embeddings[0]?.length, 8);
  t.match((await get('/v1/models')).bytes.toString(), /"made\/tiny"/);
  if (!isHere('chunker/semantic')) return;
  const text = 'tea milk. rain sun. '.repeat(20);
  const chunks = await chunk('semantic', { text, embedding_model: NAME, chunk_size: 20 });
  t.equal(chunks.map((one) => one.text).join(''), text);
});
