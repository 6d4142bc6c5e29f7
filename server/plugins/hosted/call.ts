import type { HostedApi, HostedCall, HostedFailure } from '../../../core/contracts/collaborators.ts';
import { exposedError, reasonOf, refusedError } from '../../../core/errors.ts';
import { isTransientStatus, type RetryLimits, retryAfterOf, withRetries } from '../../config/retry.ts';

interface FailureDetails extends Pick<HostedFailure, 'failure' | 'status'> {
  /** Milliseconds that the API asked to wait; undefined if it did not. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed. Callers of the service see the message, which does not contain the API key. */
export class CallError extends Error {
  readonly expose = true;
  readonly failure: HostedFailure['failure'];
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, { failure, status, retryAfter, cause }: FailureDetails) {
    super(message, { cause });
    this.failure = failure;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Functions and limits for calls, which tests replace. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Default maximum milliseconds for one call. */
  readonly timeout: number;
}

type Call<Value> = Omit<HostedCall<Value>, 'deadline' | 'patience'>;

interface Answer {
  readonly response: Response;
  readonly text: string;
}

/** Maximum characters of a provider's message to show to callers. */
const MAX_MESSAGE_LENGTH = 200;

/** Makes one call. @throws CallError if the call fails, or an exposed error if the answer is unusable */
async function callApi<Value>(api: HostedApi, call: Call<Value>, tools: HostedTools): Promise<Value> {
  const { response, text } = await send(api, call, tools);
  if (!response.ok) throw failureOf(api, response, text);
  try {
    return call.read(JSON.parse(text));
  } catch (cause) {
    // Removes the key: the parser's message may quote the answer, and the answer may repeat the request.
    const reason = withoutKey(reasonOf(cause), api.key);
    throw exposedError(`${api.title} did not return ${call.expected}: ${reason}`, cause);
  }
}

/** Sends a request. Redirects are errors, because the key must not be sent to another origin. */
async function send(api: HostedApi, call: Call<unknown>, tools: HostedTools): Promise<Answer> {
  const { title, url } = api;
  const { method = 'POST', path = '', body, signal, timeout = tools.timeout } = call;
  const isJson = body !== undefined && !isRaw(body);
  const deadline = AbortSignal.timeout(timeout);
  try {
    const response = await tools.fetch(url + path, {
      method,
      body: isJson ? JSON.stringify(body) : (body ?? null),
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...keyHeaderOf(api),
        ...call.headers,
      },
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    return { response, text: await textOf(response, title) };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CallError) throw cause;
    const reason = deadline.aborted ? `no answer within ${timeout / 1000} s` : 'the connection failed';
    throw new CallError(`${title}: ${reason}`, { failure: 'unavailable', cause });
  }
}

/** Maximum bytes of an answer. Otherwise an endless answer could fill the memory. */
const MAX_ANSWER_LENGTH = 256 * 1_048_576;

/** @throws CallError if the answer is too long */
async function textOf({ body }: Response, title: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_LENGTH)
      throw new CallError(`${title}: its answer is longer than ${MAX_ANSWER_LENGTH} bytes`, {
        failure: 'refused',
      });
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

const isRaw = (body: object): body is FormData | Uint8Array<ArrayBuffer> =>
  body instanceof FormData || body instanceof Uint8Array;

function keyHeaderOf({ key, keyHeader, keyScheme = 'Bearer' }: HostedApi): Record<string, string> {
  if (key === '') return {};
  return keyHeader === undefined ? { authorization: `${keyScheme} ${key}` } : { [keyHeader]: key };
}

function failureOf(
  { title, key, keyVariable, urlVariable }: HostedApi,
  { status, headers }: Response,
  text: string,
): CallError {
  // Hides the key before truncating the message. Otherwise a part of the key could remain.
  const said = withoutKey(messageOf(text), key).slice(0, MAX_MESSAGE_LENGTH);
  const what = `${title} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403)
    return new CallError(`${what}; check ${keyVariable}`, { failure: 'setup', status });
  if (status === 404) {
    const place = urlVariable ?? "the model's name and the base URL";
    return new CallError(`${what}; check ${place}`, { failure: 'setup', status });
  }
  const failure = isTransientStatus(status) ? 'unavailable' : 'refused';
  return new CallError(what, { failure, status, retryAfter: retryAfterOf(headers) });
}

function messageOf(text: string): string {
  try {
    const { error, status, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = spoken(error) ?? spoken(status) ?? message ?? error ?? detail;
    return typeof inner === 'string' ? inner : JSON.stringify(inner ?? '');
  } catch {
    return text;
  }
}

/** The text in a nested error: `message` of most services, `reason` of Elasticsearch, `error` of Qdrant. */
function spoken(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, reason, error } = value as Record<string, unknown>;
  return message ?? reason ?? error;
}

/** Hides the key in text of the API. All such text passes through here before callers or the log get it. */
function withoutKey(text: string, key: string): string {
  return key === '' ? text : text.replaceAll(key, '***');
}

/** Makes a call, retrying transient failures. @throws what `callApi` throws */
export function callWithRetries<Value>(
  api: HostedApi,
  call: Call<Value>,
  tools: HostedTools,
): Promise<Value> {
  const { retried, signal } = call;
  const isTransient = (error: unknown) =>
    error instanceof CallError &&
    error.failure === 'unavailable' &&
    (error.status === undefined || retried === undefined || retried.includes(error.status));
  return withRetries(tools.limits, { isTransient, retryAfter, signal }, () => callApi(api, call, tools));
}

const retryAfter = (error: unknown): number | undefined =>
  error instanceof CallError ? error.retryAfter : undefined;

const DEADLINE = 180_000;

export async function ask<Value>(
  api: HostedApi,
  call: HostedCall<Value>,
  tools: HostedTools,
): Promise<{ readonly value: Value } | HostedFailure> {
  const { deadline = call.patience ?? DEADLINE } = call;
  const expiry = AbortSignal.timeout(deadline);
  const signal = AbortSignal.any([call.signal, expiry]);
  try {
    return { value: await callWithRetries(api, { ...call, signal }, tools) };
  } catch (error) {
    call.signal.throwIfAborted();
    if (expiry.aborted)
      return { failure: 'unavailable', message: `${api.title}: no answer within ${deadline / 1000} s` };
    const { failure, status } = error instanceof CallError ? error : REFUSED;
    return { failure, message: reasonOf(error), status };
  }
}

const REFUSED = { failure: 'refused', status: undefined } as const;

export async function demand<Value>(
  api: HostedApi,
  call: HostedCall<Value>,
  tools: HostedTools,
): Promise<Value> {
  const outcome = await ask(api, call, tools);
  if (!('failure' in outcome)) return outcome.value;
  // Jobs do not retry a `refusedError`, because a retry with a wrong key would not help.
  const isForGood = outcome.status === 401 || outcome.status === 403;
  throw isForGood ? refusedError(outcome.message) : exposedError(outcome.message);
}
