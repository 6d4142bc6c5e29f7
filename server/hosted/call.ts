import type { HostedApi } from '../../core/contracts/collaborators.ts';
import { exposedError, reasonOf } from '../../core/errors.ts';
import { retryAfterOf } from '../retry.ts';

/** A failure of a call that may pass. */
export class TransientError extends Error {
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/** The API did not take what was sent; it may take less. */
export class RefusedError extends Error {}

/** No call can succeed until the operator changes something. Its message is for callers. */
export class SetupError extends Error {
  readonly expose = true;
}

/** What one call needs besides its API. */
export interface Call<Value> {
  /** As JSON. */
  readonly body: object;
  /** What is wanted of the answer's JSON. Throws if it is not there. */
  readonly read: (answer: unknown) => Value;
  /** What the answer should hold, for errors. */
  readonly expected: string;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Milliseconds that the call may take. */
  readonly timeout: number;
}

interface Answer {
  readonly response: Response;
  readonly text: string;
}

/** Longest part of a provider's own message that is shown. */
const LONGEST_MESSAGE = 200;

/**
 * Makes one call.
 *
 * @throws TransientError for what a retry may mend, RefusedError for what a smaller call may mend, SetupError for what the
 *   operator can mend
 */
export async function callApi<Value>(api: HostedApi, call: Call<Value>): Promise<Value> {
  const { response, text } = await send(api, call);
  if (!response.ok) throw failureOf(api, response, text);
  try {
    return call.read(JSON.parse(text));
  } catch (cause) {
    // An answer may repeat what was sent, and the message may quote the answer: hence without the key.
    const reason = withoutKey(reasonOf(cause), api.key);
    throw exposedError(`${api.title} answered with something else than ${call.expected}: ${reason}`, cause);
  }
}

/** Redirects are errors: the key must not follow one to another origin. */
async function send({ title, url, key }: HostedApi, call: Call<unknown>): Promise<Answer> {
  const { body, signal, timeout } = call;
  const deadline = AbortSignal.timeout(timeout);
  try {
    const response = await call.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    return { response, text: await response.text() };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = deadline.aborted ? `no answer within ${timeout / 1000} s` : 'the connection failed';
    throw new TransientError(`${title}: ${reason}`, undefined, cause);
  }
}

function failureOf(
  { title, key, keyVariable }: HostedApi,
  { status, headers }: Response,
  text: string,
): Error {
  // The key is replaced before the message is cut, so that no part of it is left.
  const said = withoutKey(messageOf(text), key).slice(0, LONGEST_MESSAGE);
  const what = `${title} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403) return new SetupError(`${what}; check ${keyVariable}`);
  if (status === 404) return new SetupError(`${what}; check the model's name and the base URL`);
  if (status === 408 || status === 429 || status >= 500)
    return new TransientError(what, retryAfterOf(headers));
  if (status === 400 || status === 413 || status === 422) return new RefusedError(what);
  return exposedError(what);
}

/** The message in a provider's answer, whichever member holds it. */
function messageOf(text: string): string {
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | undefined)?.message ?? error ?? message ?? detail;
    return typeof inner === 'string' ? inner : JSON.stringify(inner ?? '');
  } catch {
    return text;
  }
}

/** Hides the key: the only place where text from outside becomes text for callers and the log. */
function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '***');
}
