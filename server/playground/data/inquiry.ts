import { reasonOf } from './api.ts';
import type { Hit } from './model.ts';
import { findHits } from './question.ts';
import type { Asked, State } from './state.ts';
import type { Store } from './store.ts';
import { tokenStarts } from './tokens.ts';

/** One for all, so that a letter more of a question is no change of what was found. */
export const NOTHING_FOUND: ReadonlyMap<string, readonly Hit[]> = new Map();

/** Changes what is asked; what was found for another question is gone at once. */
export function changeQuestion(store: Store<State>, change: Partial<Asked>): void {
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

/** Asks again, once all settings have run, what was asked of chunks that are gone. */
export function askAgain(store: Store<State>): void {
  const { asked, runs, settings } = store.state;
  const isReady = settings.every(({ id }) => runs.get(id)?.isStale === false);
  const isMissing = settings.some(({ id }) => !asked.hits.has(id) && (runs.get(id)?.chunks.length ?? 0) > 0);
  if (asked.isAsked && !asked.isAsking && asked.problem === '' && isReady && isMissing) void ask(store);
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
    const tokens = await tokenStarts(store.state.text, tokenizer, signal);
    if (!signal.aborted) store.change({ tokens });
  } catch (error) {
    if (!signal.aborted) store.change({ tokenizer: '', notice: reasonOf(error) });
  }
}
