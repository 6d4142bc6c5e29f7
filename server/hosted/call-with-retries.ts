import type { HostedApi } from '../../core/contracts/collaborators.ts';
import { type RetryLimits, withRetries } from '../retry.ts';
import { type Call, callApi, TransientError } from './call.ts';

/** What the calls are made with; tests give their own. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Milliseconds that one call may take. */
  readonly timeout: number;
}

/** Makes a call, and repeats it while its failures may pass. @throws what `callApi` throws */
export function callWithRetries<Value>(
  api: HostedApi,
  call: Pick<Call<Value>, 'body' | 'read' | 'expected' | 'signal'>,
  { fetch, timeout, limits }: HostedTools,
): Promise<Value> {
  return withRetries(limits, { isPassing: isTransient, retryAfter, signal: call.signal }, () =>
    callApi(api, { ...call, fetch, timeout }),
  );
}

const isTransient = (error: unknown): boolean => error instanceof TransientError;

const retryAfter = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfter : undefined;
