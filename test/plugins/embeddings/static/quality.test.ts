import t from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import PAIRS from '../../../fixtures/embeddings/pairs.json' with { type: 'json' };
import QUERIES from '../../../fixtures/embeddings/queries.json' with { type: 'json' };
import { never } from '../../../support/hosted-host.ts';
import { createProviderWithFolder, openModel } from './support/models.ts';

for (const name of ['chunksmith/static-en-256', 'chunksmith/retrieval-en-512']) {
  t.test(`${name} is as good as it was`, async (t) => {
    const { provider } = await createProviderWithFolder(t);
    const model = await openModel(provider, name);
    const [pairs, queries] = [await separatePairs(model), await findPassages(model)];
    t.ok(pairs >= 0.95, `pairs: ${pairs} of at least 0.95`);
    t.ok(queries >= 0.85, `queries: ${queries} of at least 0.85`);
  });
}

/** How many of all couples of a paraphrase and an unrelated pair have the paraphrase nearer (the AUC). */
async function separatePairs(model: EmbeddingModel): Promise<number> {
  const [one, other] = [PAIRS.map(({ one }) => one), PAIRS.map(({ other }) => other)];
  const [ones, others] = [await embed(model, one), await embed(model, other)];
  const nearness = ones.map((one, index) => dot(one, others[index]));
  const [near, far] = [true, false].map((is) =>
    nearness.filter((_, index) => PAIRS[index]?.paraphrase === is),
  );
  return share((near ?? []).flatMap((nearer) => (far ?? []).map((farther) => nearer > farther)));
}

/** How many questions have the passage that answers them as the nearest one. */
async function findPassages(model: EmbeddingModel): Promise<number> {
  const { passages, queries } = QUERIES;
  const names = Object.keys(passages);
  const vectors = await embed(model, Object.values(passages));
  const asked = queries.map(({ query }) => query);
  const questions = await embed(model, asked);
  const nearest = questions.map((question) => {
    const similarities = vectors.map((vector) => dot(vector, question));
    return names[similarities.indexOf(Math.max(...similarities))];
  });
  return share(queries.map(({ passage }, index) => nearest[index] === passage));
}

async function embed(model: EmbeddingModel, texts: readonly string[]): Promise<Float32Array[]> {
  const { values, dimensions } = await model.embed(texts, { purpose: 'similarity', signal: never });
  return texts.map((_, index) => values.subarray(index * dimensions, (index + 1) * dimensions));
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined) throw new Error('a vector is missing');
  return one.reduce((sum, value, index) => sum + value * (other[index] as number), 0);
}

const share = (outcomes: readonly boolean[]): number => outcomes.filter(Boolean).length / outcomes.length;
