import { readFileSync } from 'node:fs';
import t from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { createProviderWithFolder, openModel } from './support/models.ts';

interface Pair {
  readonly one: string;
  readonly other: string;
  readonly paraphrase: boolean;
}

interface Document {
  readonly sentences: readonly string[];
  /** The sentences with which a new topic begins. */
  readonly boundaries: readonly number[];
}

interface Queries {
  readonly passages: Readonly<Record<string, string>>;
  readonly queries: readonly { readonly query: string; readonly passage: string }[];
}

const FIXTURES = new URL('../../../fixtures/embeddings/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));

/** Least shares that each model must get right. */
const FLOORS = [
  { name: 'chunksmith/static-en-256', pairs: 0.95, boundaries: 0.85, queries: 0.85 },
  { name: 'chunksmith/retrieval-en-512', pairs: 0.95, boundaries: 0.85, queries: 0.85 },
];

const { signal } = new AbortController();

for (const { name, ...floors } of FLOORS) {
  t.test(`${name} is as good as it was`, async (t) => {
    const { provider } = await createProviderWithFolder(t);
    const model = await openModel(provider, name);
    const reached = {
      pairs: await separatePairs(model),
      boundaries: await findBoundaries(model),
      queries: await findPassages(model),
    };
    t.comment(JSON.stringify(reached));
    for (const task of ['pairs', 'boundaries', 'queries'] as const) {
      t.ok(reached[task] >= floors[task], `${task}: ${reached[task]} of at least ${floors[task]}`);
    }
  });
}

/** How many of all couples of a paraphrase and an unrelated pair have the paraphrase nearer (the AUC). */
async function separatePairs(model: EmbeddingModel): Promise<number> {
  const pairs = read('pairs') as Pair[];
  const vectors = await embed(
    model,
    pairs.flatMap(({ one, other }) => [one, other]),
  );
  const near: number[] = [];
  const far: number[] = [];
  pairs.forEach(({ paraphrase }, index) => {
    (paraphrase ? near : far).push(dot(vectors[2 * index], vectors[2 * index + 1]));
  });
  const couples = near.flatMap((nearer) => far.map((farther) => nearer > farther));
  return share(couples);
}

/** How many boundaries are found if as many are looked for as there are, at the deepest valleys. */
async function findBoundaries(model: EmbeddingModel): Promise<number> {
  const found: boolean[] = [];
  for (const { sentences, boundaries } of read('documents') as Document[]) {
    const places = sentences.map((_, index) => index).slice(2, -1);
    const before = await embed(
      model,
      places.map((place) => sentences.slice(Math.max(0, place - 3), place).join(' ')),
    );
    const after = await embed(
      model,
      places.map((place) => sentences.slice(place, place + 3).join(' ')),
    );
    const similarities = before.map((vector, index) => dot(vector, after[index]));
    const valleys = places.filter((_, index) => isLowest(similarities, index));
    const depthOf = (place: number): number => similarities[places.indexOf(place)] as number;
    const chosen = valleys.toSorted((a, b) => depthOf(a) - depthOf(b)).slice(0, boundaries.length);
    found.push(...boundaries.map((boundary) => chosen.includes(boundary)));
  }
  return share(found);
}

/** Whether a value is no higher than both of its neighbours. */
function isLowest(values: readonly number[], index: number): boolean {
  const value = values[index] as number;
  return value <= (values[index - 1] ?? Infinity) && value <= (values[index + 1] ?? Infinity);
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
  return share(
    queries.map(({ passage }, index) => {
      const similarities = vectors.map((vector) => dot(vector, questions[index]));
      return names[similarities.indexOf(Math.max(...similarities))] === passage;
    }),
  );
}

async function embed(model: EmbeddingModel, texts: readonly string[]): Promise<Float32Array[]> {
  const { values, dimensions } = await model.embed(texts, { purpose: 'similarity', signal });
  return texts.map((_, index) => values.subarray(index * dimensions, (index + 1) * dimensions));
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (one === undefined || other === undefined) throw new Error('a vector is missing');
  return one.reduce((sum, value, index) => sum + value * (other[index] as number), 0);
}

const share = (outcomes: readonly boolean[]): number => outcomes.filter(Boolean).length / outcomes.length;
