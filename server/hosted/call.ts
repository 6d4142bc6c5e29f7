import type { HostedProvider } from '../../core/contracts/collaborators.ts';
import { exposedError, reasonOf } from '../../core/errors.ts';
import { retryAfterOf } from '../retry.ts';
import { RefusedError } from './batches.ts';

/** A failure of a call that may pass. */
export class TransientError extends Error {
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/** What one call needs besides its provider. */
export interface Call {
  /** As JSON. */
  readonly body: object;
  /** How many vectors must come back. */
  readonly count: number;
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
 * @throws TransientError for what a retry may mend, RefusedError for what fewer texts may mend
 */
export async function callProvider(
  provider: HostedProvider,
  call: Call,
): Promise<readonly ArrayLike<number>[]> {
  const { response, text } = await send(provider, call);
  if (!response.ok) throw failureOf(provider, response, text, call.count);
  try {
    const rows = provider.read(JSON.parse(text));
    if (rows.length === call.count) return rows;
    throw new Error(`${rows.length} vectors for ${call.count} texts`);
  } catch (cause) {
    // An answer may repeat what was sent, and the message may quote the answer: hence without the key.
    const reason = withoutKey(reasonOf(cause), provider.key);
    throw exposedError(`${provider.title} answered with something else than vectors: ${reason}`, cause);
  }
}

/** Redirects are errors: the key must not follow one to another origin. */
async function send({ title, url, key }: HostedProvider, call: Call): Promise<Answer> {
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
  { title, key, keyVariable }: HostedProvider,
  { status, headers }: Response,
  text: string,
  count: number,
): Error {
  // The key is replaced before the message is cut, so that no part of it is left.
  const said = withoutKey(messageOf(text), key).slice(0, LONGEST_MESSAGE);
  const what = `${title} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403) return exposedError(`${what}; check ${keyVariable}`);
  if (status === 404) return exposedError(`${what}; check the model's name and the base URL`);
  if (status === 408 || status === 429 || status >= 500)
    return new TransientError(what, retryAfterOf(headers));
  if (status === 400 || status === 413 || status === 422) {
    return new RefusedError(count === 1 ? `${what}; the text may be too long for the model` : what);
  }
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
