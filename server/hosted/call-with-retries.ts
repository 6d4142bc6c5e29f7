import type { HostedApi, HostedCall } from '../../core/contracts/collaborators.ts';
import { type RetryLimits, withRetries } from '../retry.ts';
import { callApi, TransientError } from './call.ts';

/** What the calls are made with; tests give their own. */
export interface HostedTools {
  readonly fetch: typeof fetch;
  readonly limits: RetryLimits;
  /** Milliseconds that one call may take, unless it says so itself. */
  readonly timeout: number;
}

/** What a caller says of a call. */
type Asked<Value> = Pick<
  HostedCall<Value>,
  'body' | 'headers' | 'read' | 'expected' | 'signal' | 'timeout' | 'retried'
>;

/** Makes a call, and repeats it while its failures may pass. @throws what `callApi` throws */
export function callWithRetries<Value>(
  api: HostedApi,
  { retried, timeout, ...call }: Asked<Value>,
  tools: HostedTools,
): Promise<Value> {
  const isPassing = (error: unknown) => error instanceof TransientError && mayPass(error, retried);
  const made = { ...call, fetch: tools.fetch, timeout: timeout ?? tools.timeout };
  return withRetries(tools.limits, { isPassing, retryAfter, signal: call.signal }, () => callApi(api, made));
}

const mayPass = ({ status }: TransientError, retried: readonly number[] | undefined): boolean =>
  status === undefined || retried === undefined || retried.includes(status);

const retryAfter = (error: unknown): number | undefined =>
  error instanceof TransientError ? error.retryAfter : undefined;
