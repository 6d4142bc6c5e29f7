import type { HostedApi, HostedCall, HostedFailure } from '../../../core/contracts/collaborators.ts';
import { reasonOf } from '../../../core/errors.ts';
import { type RetryLimits, withRetries } from '../../config/retry.ts';
import { CallError, callApi, SetupError, TransientError } from './call.ts';

/** What the calls are made with; tests inject their own. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Default milliseconds that one call may take. */
  readonly timeout: number;
}

/** What a caller specifies for a call. */
type Asked<Value> = Pick<
  HostedCall<Value>,
  'body' | 'headers' | 'read' | 'expected' | 'signal' | 'timeout' | 'retried'
>;

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

/** Calls an API, see `HostedModels.ask`. */
export async function ask<Value>(
  api: HostedApi,
  call: HostedCall<Value>,
  tools: HostedTools,
): Promise<{ readonly value: Value } | HostedFailure> {
  const deadline = AbortSignal.timeout(call.patience);
  const signal = AbortSignal.any([call.signal, deadline]);
  try {
    return { value: await callWithRetries(api, { ...call, signal }, tools) };
  } catch (error) {
    call.signal.throwIfAborted();
    const status = error instanceof CallError ? error.status : undefined;
    if (!deadline.aborted) return { failure: failureOf(error), message: reasonOf(error), status };
    return { failure: 'unavailable', message: `${api.title}: no answer within ${call.patience / 1000} s` };
  }
}

const mayPass = ({ status }: TransientError, retried: readonly number[] | undefined): boolean =>
  status === undefined || retried === undefined || retried.includes(status);

const retryAfter = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfter : undefined;

function failureOf(error: unknown): HostedFailure['failure'] {
  if (error instanceof SetupError) return 'setup';
  return error instanceof TransientError ? 'unavailable' : 'refused';
}
