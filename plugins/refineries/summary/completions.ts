import type { HostedApi, HostedFailure } from '../../../core/contracts/collaborators.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { SummaryOptions } from './manifest.ts';
import { hashOf, promptOf, type Question, readCompletion } from './prompt.ts';

/** What became of a question. */
export type Outcome = { readonly value: string } | HostedFailure;

/** Asks the model, or answers what it has answered to the same question before. Rejects only with the signal's reason. */
export type Ask = (question: Question, options: SummaryOptions, signal: AbortSignal) => Promise<Outcome>;

const OPENAI = 'https://api.openai.com/v1';
/** Characters that are kept in each thread: answers, and the hashes of their questions. */
const MOST_KEPT = 16 * 1024 * 1024;

/** Makes what asks the model that the environment names. @throws an error for the caller if its address is none */
export async function createAsk({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>): Promise<Ask> {
  const { LRUCache } = await import('lru-cache');
  const { CHAT_BASE_URL, CHAT_API_KEY = '', CHAT_MODEL: model = '' } = env;
  const base = hosted.baseUrl(CHAT_BASE_URL, OPENAI, 'CHAT_BASE_URL');
  const url = `${base}/chat/completions`;
  const api: HostedApi = { title: 'The chat API', url, keyVariable: 'CHAT_API_KEY', key: CHAT_API_KEY };
  const kept = new LRUCache<string, string>({
    maxSize: MOST_KEPT,
    sizeCalculation: (answer, key) => answer.length + key.length,
  });
  return async (question, { max_tokens, call_timeout }, signal) => {
    const key = `${hashOf(question)} ${max_tokens}`;
    const known = kept.get(key);
    if (known !== undefined) return { value: known };
    // OpenAI's own newer models take no max_tokens, and other servers may not know its successor.
    const limit = base === OPENAI ? { max_completion_tokens: max_tokens } : { max_tokens };
    const body = { model, messages: [{ role: 'user', content: promptOf(question) }], ...limit };
    const call = { body, read: readCompletion, expected: 'a completion' };
    const outcome = await hosted.ask(api, { ...call, patience: call_timeout * 1000, signal });
    if ('value' in outcome) kept.set(key, outcome.value);
    return outcome;
  };
}
