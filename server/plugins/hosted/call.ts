import type { HostedApi, HostedCall, HostedFailure } from '../../../core/contracts/collaborators.ts';
import { exposedError, reasonOf } from '../../../core/errors.ts';
import { isPassingStatus, type RetryLimits, retryAfterOf, withRetries } from '../../config/retry.ts';

/** A call failed. */
class CallError extends Error {
  /** The status of the answer, if the error is from an answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** A temporary failure of a call. */
export class TransientError extends CallError {
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { status, retryAfter, cause }: TransientReason = {}) {
    super(message, status, cause);
    this.retryAfter = retryAfter;
  }
}

interface TransientReason {
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** The API refused what was sent; it may accept less. */
export class RefusedError extends CallError {}

/** No call can succeed until the operator changes something. Its message is for callers. */
class SetupError extends CallError {
  readonly expose = true;
}

/** The API returned an unexpected status. Its message is for callers. */
class UnexpectedError extends CallError {
  readonly expose = true;
}

/** What one call needs besides its API. */
export interface Call<Value> extends Omit<HostedCall<Value>, 'patience' | 'timeout' | 'retried'> {
  readonly fetch: typeof fetch;
  /** Milliseconds that the call may take. */
  readonly timeout: number;
}

interface Answer {
  readonly response: Response;
  readonly text: string;
}

/** Maximum length of a provider's own message that is shown. */
const LONGEST_MESSAGE = 200;

/**
 * Makes one call.
 *
 * @throws TransientError if a retry may help, RefusedError if a smaller call may help, SetupError if only the
 *   operator
 *   can help
 */
async function callApi<Value>(api: HostedApi, call: Call<Value>): Promise<Value> {
  const { response, text } = await send(api, call);
  if (!response.ok) throw failureOf(api, response, text);
  try {
    return call.read(JSON.parse(text));
  } catch (cause) {
    // An answer may repeat what was sent, and the message may quote the answer, so the key is removed.
    const reason = withoutKey(reasonOf(cause), api.key);
    throw exposedError(`${api.title} did not return ${call.expected}: ${reason}`, cause);
  }
}

/** Redirects are errors: the key must not follow one to another origin. */
async function send(api: HostedApi, call: Call<unknown>): Promise<Answer> {
  const { title, url } = api;
  const { method = 'POST', path = '', signal, timeout } = call;
  const deadline = AbortSignal.timeout(timeout);
  try {
    const response = await call.fetch(url + path, {
      method,
      ...bodyOf(call),
      headers: headersOf(api, call),
      redirect: 'error',
      signal: AbortSignal.any([signal, deadline]),
    });
    return { response, text: await response.text() };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = deadline.aborted ? `no answer within ${timeout / 1000} s` : 'the connection failed';
    throw new TransientError(`${title}: ${reason}`, { cause });
  }
}

function bodyOf({ body }: Call<unknown>): { readonly body?: string | FormData | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {};
  return { body: isRaw(body) ? body : JSON.stringify(body) };
}

const isRaw = (body: object): body is FormData | Uint8Array<ArrayBuffer> =>
  body instanceof FormData || body instanceof Uint8Array;

function headersOf(
  { key, keyHeader, keyScheme = 'Bearer' }: HostedApi,
  { body, headers }: Call<unknown>,
): Record<string, string> {
  const ofKey = keyHeader === undefined ? { authorization: `${keyScheme} ${key}` } : { [keyHeader]: key };
  return {
    ...(body !== undefined && !isRaw(body) && { 'content-type': 'application/json' }),
    ...(key !== '' && ofKey),
    ...headers,
  };
}

function failureOf(
  { title, key, keyVariable, urlVariable }: HostedApi,
  { status, headers }: Response,
  text: string,
): Error {
  // The key is replaced before the message is truncated, so that no part of it remains.
  const said = withoutKey(messageOf(text), key).slice(0, LONGEST_MESSAGE);
  const what = `${title} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403) return new SetupError(`${what}; check ${keyVariable}`, status);
  if (status === 404)
    return new SetupError(`${what}; check ${urlVariable ?? "the model's name and the base URL"}`, status);
  if (isPassingStatus(status)) return new TransientError(what, { status, retryAfter: retryAfterOf(headers) });
  if (status === 400 || status === 413 || status === 422) return new RefusedError(what, status);
  return new UnexpectedError(what, status);
}

/** The message in a provider's answer, whichever member holds it. */
function messageOf(text: string): string {
  try {
    const { error, status, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = spoken(error) ?? spoken(status) ?? message ?? error ?? detail;
    return typeof inner === 'string' ? inner : JSON.stringify(inner ?? '');
  } catch {
    return text;
  }
}

/** A message as a member, or nested in one: `message` of most, `reason` of Elasticsearch, `error` of Qdrant. */
function spoken(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, reason, error } = value as Record<string, unknown>;
  return message ?? reason ?? error;
}

/** Hides the key: the only place where outside text becomes text for callers and the log. */
function withoutKey(text: string, key: string): string {
  return key === '' ? text : text.replaceAll(key, '***');
}

/** What the calls are made with; tests inject their own. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Default milliseconds that one call may take. */
  readonly timeout: number;
}

/** What a caller specifies for a call. */
type Asked<Value> = Omit<HostedCall<Value>, 'patience'>;

/** Makes a call, retrying temporary failures. @throws what `callApi` throws */
export function callWithRetries<Value>(
  api: HostedApi,
  { retried, timeout, ...call }: Asked<Value>,
  tools: HostedTools,
): Promise<Value> {
  const isPassing = (error: unknown) => error instanceof TransientError && mayPass(error, retried);
  const made = { ...call, fetch: tools.fetch, timeout: timeout ?? tools.timeout };
  return withRetries(tools.limits, { isPassing, retryAfter, signal: call.signal }, () => callApi(api, made));
}

const PATIENCE = 180_000;

/** Calls an API, see `HostedModels.ask`. */
export async function ask<Value>(
  api: HostedApi,
  call: HostedCall<Value>,
  tools: HostedTools,
): Promise<{ readonly value: Value } | HostedFailure> {
  const { patience = PATIENCE } = call;
  const deadline = AbortSignal.timeout(patience);
  const signal = AbortSignal.any([call.signal, deadline]);
  try {
    return { value: await callWithRetries(api, { ...call, signal }, tools) };
  } catch (error) {
    call.signal.throwIfAborted();
    const status = error instanceof CallError ? error.status : undefined;
    if (!deadline.aborted) return { failure: kindOfFailure(error), message: reasonOf(error), status };
    return { failure: 'unavailable', message: `${api.title}: no answer within ${patience / 1000} s` };
  }
}

const mayPass = ({ status }: TransientError, retried: readonly number[] | undefined): boolean =>
  status === undefined || retried === undefined || retried.includes(status);

const retryAfter = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfter : undefined;

function kindOfFailure(error: unknown): HostedFailure['failure'] {
  if (error instanceof SetupError) return 'setup';
  return error instanceof TransientError ? 'unavailable' : 'refused';
}
