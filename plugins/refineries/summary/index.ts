import { hash } from 'node:crypto';
import {
  type Chunk,
  type Collaborators,
  exposedError,
  type HostedApi,
  type HostedFailure,
  isBlank,
  type Log,
  type Refinery,
  type Report,
} from '../../../core/kit.ts';
import type { SummaryOptions } from './manifest.ts';
import { type Window, windowsOf } from './windows.ts';

type SummaryRefinery = Refinery<SummaryOptions, 'tokenizer'>;

const MAX_TITLE_LENGTH = 500;

export default async function createSummaryRefinery(given: Collaborators): Promise<SummaryRefinery> {
  const { log } = given;
  const ask = await createAsk(given);
  return {
    async refine(chunks, options, { tokenizer, document, join, report, signal }) {
      signal.throwIfAborted();
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      const windowOf = windowsOf(chunks, options.max_document_tokens, { tokenizer, join, signal });
      const title = (document.title ?? '').trim().slice(0, MAX_TITLE_LENGTH);
      const askAbout = async ({ text }: Chunk, index: number): Promise<Outcome> => {
        signal.throwIfAborted();
        if (isBlank(text)) return NOTHING_TO_ASK;
        const question = { title, window: windowOf(index), instruction: options.instruction, text };
        const outcome = await ask(question, options, either);
        if ('failure' in outcome && outcome.failure === 'setup') throw exposedError(outcome.message);
        return outcome;
      };
      try {
        const outcomes = await askForAll(chunks, options.concurrency, askAbout);
        reportFailures(outcomes, report, log);
        return chunks.map((chunk, index) => withContext(chunk, outcomes[index]));
      } finally {
        stop.abort();
      }
    },
  };
}

/** Reports failed calls. Failure messages are not logged, because they may quote the request. */
function reportFailures(outcomes: readonly Outcome[], report: Report, log: Log): void {
  const kinds = outcomes.flatMap((outcome) => ('failure' in outcome ? [outcome.failure] : []));
  if (kinds.length === 0) return;
  report('summary-failed', String(kinds.length));
  const unavailable = kinds.filter((kind) => kind === 'unavailable').length;
  const counts = { chunks: outcomes.length, failed: kinds.length, unavailable };
  log.warn(counts, 'the chat API gave no context for some chunks');
}

const NOTHING_TO_ASK: Outcome = { value: '' };

function withContext(chunk: Chunk, outcome: Outcome | undefined): Chunk {
  if (outcome === undefined || 'failure' in outcome) return { ...chunk, context: null };
  const parts = [outcome.value, chunk.context].filter((part) => typeof part === 'string' && part !== '');
  return { ...chunk, context: parts.join('\n') || null };
}

/** Maximum consecutive calls to an unavailable API, unless `concurrency` is higher. */
const MAX_UNAVAILABLE = 3;

/**
 * Asks about each item, with limited concurrency. After too many consecutive calls to an unavailable API, the
 * other items fail without a call. Otherwise a server that is down could hold a request for hours.
 *
 * @throws the first error of `ask`; `ask` is then not called again
 */
async function askForAll<Item>(
  items: readonly Item[],
  concurrency: number,
  ask: (item: Item, index: number) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const { default: pMap } = await import('p-map');
  const most = Math.max(concurrency, MAX_UNAVAILABLE);
  let unavailable: Outcome[] = [];
  const askNext = async (item: Item, index: number): Promise<Outcome> => {
    const [down] = unavailable;
    if (down !== undefined && unavailable.length >= most) return down;
    const outcome = await ask(item, index);
    if ('value' in outcome) unavailable = [];
    else if (outcome.failure === 'unavailable') unavailable.push(outcome);
    return outcome;
  };
  return pMap(items, askNext, { concurrency });
}

type Outcome = { readonly value: string } | HostedFailure;

/** Asks the model, or returns the cached answer to the same question. Rejects only with the signal's reason. */
type Ask = (question: Question, options: SummaryOptions, signal: AbortSignal) => Promise<Outcome>;

const OPENAI = 'https://api.openai.com/v1';
/** Maximum characters of cached answers and the hashes of their questions, per thread. */
const MAX_KEPT = 16 * 1024 * 1024;

/** @throws Error for callers if `CHAT_BASE_URL` is invalid */
async function createAsk({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>): Promise<Ask> {
  const { LRUCache } = await import('lru-cache');
  const { CHAT_BASE_URL, CHAT_API_KEY = '', CHAT_MODEL: model = '' } = env;
  const base = hosted.baseUrl(CHAT_BASE_URL, OPENAI, 'CHAT_BASE_URL');
  const url = `${base}/chat/completions`;
  const api: HostedApi = { title: 'The chat API', url, keyVariable: 'CHAT_API_KEY', key: CHAT_API_KEY };
  const kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT,
    sizeCalculation: (answer, key) => answer.length + key.length,
  });
  return async (question, { max_tokens, call_timeout }, signal) => {
    const { title, window, instruction, text } = question;
    const seed = JSON.stringify([title, window.hash, instruction, text]);
    const key = `${hash('sha256', seed, 'hex')} ${max_tokens}`;
    const known = kept.get(key);
    if (known !== undefined) return { value: known };
    // OpenAI's newer models reject max_tokens, and other servers may not know max_completion_tokens.
    const limit = base === OPENAI ? { max_completion_tokens: max_tokens } : { max_tokens };
    const body = { model, messages: [{ role: 'user', content: promptOf(question) }], ...limit };
    const call = { body, read: readCompletion, expected: 'a completion' };
    const outcome = await hosted.ask(api, { ...call, deadline: call_timeout * 1000, signal });
    if ('value' in outcome) kept.set(key, outcome.value);
    return outcome;
  };
}

interface Question {
  readonly title: string;
  readonly window: Window;
  readonly instruction: string;
  readonly text: string;
}

/** The window comes first, so that a server can cache the common start of all prompts for that window. */
function promptOf({ title, window, instruction, text }: Question): string {
  const head = title === '' ? '' : `Title: ${title}\n\n`;
  const prompt = `<document>\n${head}${window.text}\n</document>\n\n${instruction}\n\n<chunk>\n${text}\n</chunk>`;
  // Servers refuse lone surrogates.
  return prompt.toWellFormed();
}

const REASONING = /^\s*<think>[\s\S]*?<\/think>/;

/** The answer in an OpenAI completion, without the model's reasoning. @throws Error if there is no answer */
function readCompletion(answer: unknown): string {
  const { choices } = answer as { readonly choices?: readonly { readonly message?: unknown }[] };
  const { content } = (choices?.[0]?.message ?? {}) as { readonly content?: unknown };
  if (typeof content !== 'string') throw new Error('its first choice has no message with content');
  const text = content.replace(REASONING, '').trim();
  if (text === '' || text.startsWith('<think>')) throw new Error('it is empty, max_tokens may be too low');
  return text;
}
