import { post, reasonOf, ServiceProblem } from './api.ts';
import type { Chunk, Hit } from './model.ts';
import type { Inquiry, State } from './state.ts';
import type { Store } from './store.ts';

/** Shared, so that typing another letter of a question does not change the results. */
export const NOTHING_FOUND: ReadonlyMap<string, readonly Hit[]> = new Map();

/** Changes the question; results for another question are removed at once. */
export function changeQuestion(store: Store<State>, change: Partial<Inquiry>): void {
  const isOther = ['question', 'model', 'count'].some((name) => name in change);
  const gone = isOther ? { hits: NOTHING_FOUND, isAsked: false } : {};
  store.change({ asked: { ...store.state.asked, ...gone, problem: '', ...change } });
}

/** Finds the best chunks of every setting for the question. */
export async function ask(store: Store<State>): Promise<void> {
  const { asked, settings, runs, text } = store.state;
  changeQuestion(store, { isAsked: true, isAsking: true });
  try {
    const hits = new Map<string, readonly Hit[]>();
    for (const { id } of settings) {
      const chunks = runs.get(id)?.chunks ?? [];
      if (chunks.length > 0) hits.set(id, await findHits(asked.question, chunks, asked.model, asked.count));
    }
    const { state } = store;
    const isCurrent = state.text === text && state.runs === runs && state.asked.isAsked;
    changeQuestion(store, { isAsking: false, ...(isCurrent ? { hits } : {}) });
  } catch (error) {
    changeQuestion(store, { isAsking: false, problem: reasonOf(error) });
  }
}

/** Repeats the question, once all settings have run, if its results were in chunks that no longer exist. */
export function askAgain(store: Store<State>): void {
  const { asked, runs, settings } = store.state;
  const isReady = settings.every(({ id }) => runs.get(id)?.isStale === false);
  const isMissing = settings.some(({ id }) => !asked.hits.has(id) && (runs.get(id)?.chunks.length ?? 0) > 0);
  if (asked.isAsked && !asked.isAsking && asked.problem === '' && isReady && isMissing) void ask(store);
}

interface Tokenized {
  readonly results: readonly { readonly offsets: readonly (readonly [start: number, end: number])[] }[];
}

let stop = new AbortController();

/** Shows where the tokens of the text begin. @param tokenizer empty to show none */
export async function showTokens(store: Store<State>, tokenizer: string): Promise<void> {
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  store.change({ tokenizer, tokens: [] });
  if (tokenizer === '') return;
  try {
    const asked = { text: store.state.text, tokenizer, include: ['offsets'], offset_unit: 'utf16' };
    const { body } = await post<Tokenized>('v1/tokenize', asked, signal);
    const tokens = (body.results[0]?.offsets ?? []).map(([start]) => start);
    if (!signal.aborted) store.change({ tokens });
  } catch (error) {
    if (!signal.aborted) store.change({ tokenizer: '', notice: reasonOf(error) });
  }
}

/** Its vector is zero: all chunks would be equally far away. */
const NO_WORD = 'The model knows no word of the question: choose a model for its language.';

/** Maximum texts per request. */
const MOST_TEXTS = 1000;

type Vectors = readonly (readonly number[])[];

/** Vectors of chunks, by chunk list and model, so that another question does not embed the chunks again. */
const known = new WeakMap<readonly Chunk[], Map<string, Promise<Vectors>>>();

/** The best chunks for a question, best first; equally good ones in order. */
async function findHits(
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

function vectorsOf(chunks: readonly Chunk[], model: string): Promise<Vectors> {
  const models = known.get(chunks) ?? new Map<string, Promise<Vectors>>();
  known.set(chunks, models);
  const texts = () => chunks.map(({ text }) => text);
  const vectors = models.get(model) ?? embed(texts(), 'document', model);
  models.set(model, vectors);
  vectors.catch(() => models.delete(model));
  return vectors;
}

async function embed(
  texts: readonly string[],
  purpose: 'query' | 'document',
  model: string,
): Promise<Vectors> {
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += MOST_TEXTS) {
    const text = texts.slice(from, from + MOST_TEXTS);
    const { body } = await post<{ embeddings: Vectors }>('v1/embed', {
      text,
      purpose,
      embedding_model: model,
    });
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
