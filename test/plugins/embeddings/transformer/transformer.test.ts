import t, { type Test } from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { tokenVectors, writeOnnx } from '../../../fixtures/embeddings/transformer/model.ts';
import { needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';
import { composeQuietly } from '../../../support/service.ts';
import { FILES, type Files, NAME, TINY, WORDS, writeModel } from './support/model.ts';

const signal = new AbortController().signal;
const TEXTS = ['tea milk', '', 'rain rain sun moon star water tea', 'x', 'milk .', 'sun '.repeat(20)];

async function open(t: Test, files: Files = {}): Promise<EmbeddingModel> {
  const { openers } = await composeQuietly({ modelsDir: await writeModel(t, { ...FILES, ...files }) });
  const lease = await openers.model(NAME, signal);
  t.teardown(() => lease.release());
  return lease.value;
}

async function embed(model: EmbeddingModel, texts: readonly string[]): Promise<number[][]> {
  const { dimensions, values } = await model.embed(texts, { purpose: 'document', signal });
  return texts.map((_, index) => [...values.subarray(index * dimensions, (index + 1) * dimensions)]);
}

const idsOf = (text: string, most = 64) => {
  const own = text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => Math.max(WORDS.indexOf(word), 1));
  return [2, ...own.slice(0, most - 2), 3];
};

const POOLINGS: Readonly<Record<string, (rows: number[][]) => number[]>> = {
  mean: (rows) =>
    (rows[0] as number[]).map(
      (_, at) => rows.reduce((sum, row) => sum + (row[at] as number), 0) / rows.length,
    ),
  cls: (rows) => rows[0] as number[],
  max: (rows) => (rows[0] as number[]).map((_, at) => Math.max(...rows.map((row) => row[at] as number))),
  last: (rows) => rows.at(-1) as number[],
};
const MODES: Readonly<Record<string, string>> = {
  mean: 'mean_tokens',
  cls: 'cls_token',
  max: 'max_tokens',
  last: 'lasttoken',
};

function checkClose(t: Test, found: readonly number[], wanted: readonly number[], name: string): void {
  const furthest = Math.max(...wanted.map((value, at) => Math.abs(value - (found[at] as number))));
  t.ok(found.length === wanted.length && furthest < 1e-5, `${name}: ${furthest}`);
}

for (const [mode, pooling] of Object.entries(POOLINGS)) {
  t.test(`${mode}: vectors are those of a plain computation, in whatever batch`, async (t) => {
    const model = await open(t, {
      '1_Pooling/config.json': { word_embedding_dimension: 8, [`pooling_mode_${MODES[mode]}`]: true },
    });
    const together = await embed(model, TEXTS);
    for (const [index, text] of TEXTS.entries()) {
      checkClose(
        t,
        together[index] as number[],
        pooling(tokenVectors(TINY, idsOf(text))),
        JSON.stringify(text),
      );
      checkClose(t, (await embed(model, [text]))[0] as number[], together[index] as number[], 'alone');
    }
  });
}

t.test('texts are cut at the longest that the model takes', async (t) => {
  const model = await open(t, { 'sentence_bert_config.json': { max_seq_length: 6 } });
  const [vector] = await embed(model, ['tea milk water rain sun moon star']);
  checkClose(
    t,
    vector as number[],
    (POOLINGS.mean as (rows: number[][]) => number[])(
      tokenVectors(TINY, idsOf('tea milk water rain sun moon star', 6)),
    ),
    'six tokens',
  );
});

t.test('many texts come back in order', async (t) => {
  const model = await open(t);
  const texts = Array.from({ length: 300 }, (_, index) =>
    'tea milk rain sun '.repeat(1 + ((index * 7) % 14)),
  );
  const counts: number[] = [];
  const { values } = await model.embed(texts, {
    purpose: 'document',
    signal,
    progress: (done) => counts.push(done),
  });
  for (const index of [0, 1, 150, 299]) {
    checkClose(
      t,
      [...values.subarray(index * 8, (index + 1) * 8)],
      (POOLINGS.mean as (rows: number[][]) => number[])(tokenVectors(TINY, idsOf(texts[index] as string))),
      `${index}`,
    );
  }
  t.ok(counts.length > 3);
  t.equal(counts.at(-1), 300);
  await t.rejects(model.embed(texts, { purpose: 'document', signal: AbortSignal.abort(new Error('gone')) }), {
    message: 'gone',
  });
});

t.test('a Normalize module gives length 1', async (t) => {
  const model = await open(t, { 'modules.json': [{ type: 'sentence_transformers.models.Normalize' }] });
  const [vector = []] = await embed(model, ['tea milk']);
  t.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
});

t.test('a graph may want token types, or give the finished vector', async (t) => {
  const typed = await open(t, { 'onnx/model.onnx': writeOnnx(TINY, { tokenTypes: true }) });
  checkClose(
    t,
    (await embed(typed, ['tea']))[0] as number[],
    (POOLINGS.mean as (rows: number[][]) => number[])(tokenVectors(TINY, idsOf('tea'))),
    'types',
  );
  const finished = await open(t, { 'onnx/model.onnx': writeOnnx(TINY, { sentenceEmbedding: true }) });
  checkClose(
    t,
    (await embed(finished, ['tea milk']))[0] as number[],
    (POOLINGS.max as (rows: number[][]) => number[])(tokenVectors(TINY, idsOf('tea milk'))),
    'finished',
  );
});

t.test('what cannot be used says why, and shows no path', async (t) => {
  const cases: [files: Files, reason: RegExp][] = [
    [{ 'onnx/model.onnx': 'not onnx' }, /the ONNX file of "made\/tiny" cannot be loaded/],
    [{ 'config.json': 'not json' }, /config\.json of "made\/tiny" is not JSON/],
    [
      { '1_Pooling/config.json': { pooling_mode_weightedmean_tokens: true } },
      /pooling of "made\/tiny" is not supported/,
    ],
  ];
  for (const [files, reason] of cases) {
    await t.rejects(open(t, files), { message: reason });
    await open(t, files).catch(({ message }: Error) => t.notMatch(message, /\/(tmp|work|home)|testdir/));
  }
  const { openers } = await composeQuietly({ modelsDir: await writeModel(t, { 'config.json': {} }) });
  await t.rejects(openers.model(NAME, signal), { code: 'unknown_model' });
});

t.test('through the service, in a worker', async (t) => {
  const { post, get } = await startServer(t, { modelsDir: await writeModel(t, FILES), workers: 1 });
  const answer = await post('/v1/embed', { text: 'tea milk', embedding_model: NAME });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-embedding-model'), NAME);
  t.equal(answer.json<{ embeddings: number[][] }>().embeddings[0]?.length, 8);
  t.match((await get('/v1/models')).bytes.toString(), /"made\/tiny"/);
});

t.test('through the semantic chunker', needs('chunker/semantic'), async (t) => {
  const { post } = await startServer(t, { modelsDir: await writeModel(t, FILES), workers: 1 });
  const semantic = await post('/v1/chunk/semantic', {
    text: 'tea milk. rain sun. '.repeat(20),
    embedding_model: NAME,
    chunk_size: 20,
  });
  t.equal(semantic.status, 200);
  t.equal(
    semantic
      .json<{ text: string }[]>()
      .map(({ text }) => text)
      .join(''),
    'tea milk. rain sun. '.repeat(20),
  );
});
