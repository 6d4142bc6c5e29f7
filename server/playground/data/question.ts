import { post, ServiceProblem } from './api.ts';
import type { Chunk, Hit } from './model.ts';

interface Embedded {
  readonly embeddings: readonly (readonly number[])[];
}

/** Its vector is zero: all chunks would be equally far. */
const NO_WORD = 'The model knows no word of the question: choose a model of its language.';

/** Most texts of a request. */
const MOST_TEXTS = 1000;

/** Vectors of chunks, by their list and the model: a question more needs those of the chunks no more. */
const known = new WeakMap<readonly Chunk[], Map<string, Promise<readonly (readonly number[])[]>>>();

/** The best chunks for a question, the best first; of equally good ones the first. */
export async function findHits(
  question: string,
  chunks: readonly Chunk[],
  model: string,
  count: number,
): Promise<readonly Hit[]> {
  const [[query = []], vectors] = await Promise.all([
    embed([question], 'query', model),
    vectorsOf(chunks, model),
  ]);
  if (query.every((value) => value === 0)) throw new ServiceProblem(200, NO_WORD);
  const scored = vectors.map((vector, chunk) => ({ chunk, score: cosine(query, vector) }));
  return scored.sort((a, b) => b.score - a.score || a.chunk - b.chunk).slice(0, count);
}

function vectorsOf(chunks: readonly Chunk[], model: string): Promise<readonly (readonly number[])[]> {
  const models = known.get(chunks) ?? new Map<string, Promise<readonly (readonly number[])[]>>();
  known.set(chunks, models);
  const vectors =
    models.get(model) ??
    embed(
      chunks.map(({ text }) => text),
      'document',
      model,
    );
  models.set(model, vectors);
  vectors.catch(() => models.delete(model));
  return vectors;
}

async function embed(texts: readonly string[], purpose: 'query' | 'document', model: string) {
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += MOST_TEXTS) {
    const text = texts.slice(from, from + MOST_TEXTS);
    const { body } = await post<Embedded>('v1/embed', { text, purpose, embedding_model: model });
    vectors.push(...body.embeddings);
  }
  return vectors;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] as number, b[at] ?? 0];
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : dot / Math.sqrt(ofA * ofB);
}
