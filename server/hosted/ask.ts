import type { HostedApi, HostedCall, HostedFailure } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import { SetupError, TransientError } from './call.ts';
import { callWithRetries, type HostedTools } from './call-with-retries.ts';

/** Calls an API, see `HostedModels.ask`. */
export async function ask<Value>(
  api: HostedApi,
  call: HostedCall<Value>,
  tools: HostedTools,
): Promise<{ readonly value: Value } | HostedFailure> {
  const deadline = AbortSignal.timeout(call.patience);
  const signal = AbortSignal.any([call.signal, deadline]);
  const { body, read, expected } = call;
  try {
    return { value: await callWithRetries(api, { body, read, expected, signal }, tools) };
  } catch (error) {
    call.signal.throwIfAborted();
    if (!deadline.aborted) return { failure: failureOf(error), message: reasonOf(error) };
    return { failure: 'unavailable', message: `${api.title}: no answer within ${call.patience / 1000} s` };
  }
}

function failureOf(error: unknown): HostedFailure['failure'] {
  if (error instanceof SetupError) return 'setup';
  return error instanceof TransientError ? 'unavailable' : 'refused';
}
