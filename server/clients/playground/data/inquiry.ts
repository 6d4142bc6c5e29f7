import { post, reasonOf, ServiceProblem } from './api.ts';
import type { Catalogue, Chunk, Setting } from './model.ts';
import { pipelineSteps, pluginOf, sentOptions } from './settings.ts';
import type { Found, Inquiry, Question, State, Store } from './state.ts';

export const RETRIEVERS = ['dense', 'bm25', 'hybrid'] as const;

/** One shared empty map: the page redraws the text whenever `found` is another object. */
export const NOTHING_FOUND: ReadonlyMap<string, Found> = new Map();

export function changeQuestion(store: Store<State>, change: Partial<Inquiry>): void {
  const isOther = ['question', 'model', 'retriever', 'count'].some((name) => name in change);
  const gone = isOther ? { found: NOTHING_FOUND, isAsked: false } : {};
  const unscored = 'answer' in change || 'kept' in change ? { found: NOTHING_FOUND } : {};
  store.change({ asked: { ...store.state.asked, ...gone, ...unscored, problem: '', ...change } });
}

const ASKED = ['question', 'answer', 'retriever', 'model', 'count', 'kept'] as const;

export async function ask(store: Store<State>): Promise<void> {
  const { asked, settings, runs, text, catalogue } = store.state;
  if (catalogue === undefined) return;
  changeQuestion(store, { isAsked: true, isAsking: true });
  try {
    const kept = keptWith(asked);
    const ready = settings.filter(({ id }) => (runs.get(id)?.chunks.length ?? 0) > 0);
    if (ready.length === 0) throw new ServiceProblem(200, 'No setting has chunks to search.');
    const evaluated = await evaluate(store.state, kept, ready, catalogue);
    const found = new Map(
      ready.map(({ id }, at) => {
        const candidate = evaluated.candidates[at] as Evaluated;
        return [id, foundBy(candidate, asked, kept, runs.get(id)?.chunks ?? [])];
      }),
    );
    const { state } = store;
    const isSame = ASKED.every((name) => state.asked[name] === asked[name]);
    const isCurrent = state.text === text && state.runs === runs && state.asked.isAsked && isSame;
    const problem = problemOf(evaluated.candidates, found);
    const { tokenizer = '' } = evaluated;
    changeQuestion(store, { isAsking: false, ...(isCurrent && { kept, found, problem, tokenizer }) });
  } catch (error) {
    changeQuestion(store, { isAsking: false, problem: reasonOf(error) });
  }
}

export function askAgain(store: Store<State>): void {
  const { asked, runs, settings } = store.state;
  const isReady = settings.every(({ id }) => runs.get(id)?.isStale === false);
  const isMissing = settings.some(({ id }) => !asked.found.has(id) && (runs.get(id)?.chunks.length ?? 0) > 0);
  if (asked.isAsked && !asked.isAsking && asked.problem === '' && isReady && isMissing) void ask(store);
}

function keptWith({ question, answer, kept }: Inquiry): readonly Question[] {
  if (answer === undefined) return kept;
  const isKept = kept.some((one) => one.question === question);
  if (!isKept) return [...kept, { question, answer }];
  return kept.map((one) => (one.question === question ? { question, answer } : one));
}

interface Evaluation {
  readonly tokenizer?: string;
  readonly candidates: readonly Evaluated[];
}

interface Evaluated {
  readonly error?: { readonly detail: string };
  readonly recall: number;
  readonly interval: { readonly recall: readonly [low: number, high: number] };
  readonly tokens_per_question: number;
  readonly questions: readonly {
    readonly recall: number;
    readonly precision: number;
    readonly iou: number;
    readonly found: readonly {
      readonly start_index: number;
      readonly end_index: number;
      readonly score: number;
    }[];
  }[];
}

/**
 * Evaluates the kept questions. If the answer to the current question is unknown, evaluates only this question, with
 * the whole text as its answer. The answer affects only scores, not the ranking of chunks.
 */
async function evaluate(
  { asked, text }: State,
  kept: readonly Question[],
  settings: readonly Setting[],
  catalogue: Catalogue,
): Promise<Evaluation> {
  const { question, answer, retriever, model, count } = asked;
  const questions = answer === undefined ? [{ question, answer: { start: 0, end: text.length } }] : kept;
  const tokenizer = settings.map(({ steps }) => steps[0]?.options.tokenizer).find((one) => one !== undefined);
  const { body } = await post<Evaluation>('v1/evaluate', {
    documents: [{ text }],
    questions: questions.map(({ question, answer: { start, end } }) => ({
      question,
      answers: [{ document: 0, start_index: start, end_index: end }],
    })),
    candidates: settings.map((setting) => candidateOf(setting, catalogue)),
    retriever,
    k: count,
    tokenizer,
    embedding_model: retriever === 'bm25' ? undefined : model,
    embed: 'context+text',
    offset_unit: 'utf16',
  });
  return body;
}

function candidateOf({ steps }: Setting, catalogue: Catalogue): object {
  const [first] = steps;
  if (first?.kind === 'pipeline') return { pipeline: first.name };
  const isSearched = (step: (typeof steps)[number]) =>
    !('embed' in (pluginOf(step, catalogue)?.options ?? {}));
  const sent = steps.filter(isSearched).map((step) => ({ ...step, options: sentOptions(step, catalogue) }));
  return { steps: pipelineSteps(sent) };
}

function foundBy(
  { error, questions, recall, interval, tokens_per_question }: Evaluated,
  { question, answer }: Inquiry,
  kept: readonly Question[],
  chunks: readonly Chunk[],
): Found {
  if (error !== undefined) return { hits: [], scores: undefined, mean: undefined };
  const at = answer === undefined ? 0 : kept.findIndex((one) => one.question === question);
  const { found = [], ...scores } = questions[at] ?? {};
  const indexes = new Map(
    chunks.map(({ start_index, end_index }, chunk) => [`${start_index} ${end_index}`, chunk]),
  );
  const hits = found.flatMap(({ start_index, end_index, score }) => {
    const chunk = indexes.get(`${start_index} ${end_index}`);
    // A score of 0 means that the chunk has nothing in common with the question.
    return chunk === undefined || score === 0 ? [] : [{ chunk, score }];
  });
  if (answer === undefined) return { hits, scores: undefined, mean: undefined };
  const mean = { recall, interval: interval.recall, tokens: tokens_per_question };
  return { hits, scores: scores as Found['scores'], mean };
}

const NOTHING_IN_COMMON =
  'No chunk has anything in common with the question: use other words, another model or another retriever.';

function problemOf(candidates: readonly Evaluated[], found: ReadonlyMap<string, Found>): string {
  const failed = candidates.find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return failed.detail;
  return [...found.values()].every(({ hits }) => hits.length === 0) ? NOTHING_IN_COMMON : '';
}

interface Tokenized {
  readonly results: readonly { readonly offsets: readonly (readonly [start: number, end: number])[] }[];
}

let stop = new AbortController();

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
