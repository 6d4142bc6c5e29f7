import { readFileSync } from 'node:fs';
import t from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { never } from '../../../support/hosted-host.ts';
import { createProviderWithFolder, openModel } from './support/models.ts';

interface Pair {
  readonly one: string;
  readonly other: string;
  readonly paraphrase: boolean;
}

interface Queries {
  readonly passages: Readonly<Record<string, string>>;
  readonly queries: readonly { readonly query: string; readonly passage: string }[];
}

const FIXTURES = new URL('../../../fixtures/embeddings/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));

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
  const pairs = read('pairs') as Pair[];
  const ones = await embed(
    model,
    pairs.map(({ one }) => one),
  );
  const others = await embed(
    model,
    pairs.map(({ other }) => other),
  );
  const nearness = ones.map((one, index) => dot(one, others[index]));
  const [near, far] = [true, false].map((is) =>
    nearness.filter((_, index) => pairs[index]?.paraphrase === is),
  );
  return share((near ?? []).flatMap((nearer) => (far ?? []).map((farther) => nearer > farther)));
}

/** How many questions have the passage that answers them as the nearest one. */
async function findPassages(model: EmbeddingModel): Promise<number> {
  const { passages, queries } = read('queries') as Queries;
  const names = Object.keys(passages);
  const vectors = await embed(model, Object.values(passages));
  const questions = await embed(
    model,
    queries.map(({ query }) => query),
  );
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
