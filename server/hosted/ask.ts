import type { HostedApi, HostedCall, HostedFailure } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import { CallError, SetupError, TransientError } from './call.ts';
import { callWithRetries, type HostedTools } from './call-with-retries.ts';

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

function failureOf(error: unknown): HostedFailure['failure'] {
  if (error instanceof SetupError) return 'setup';
  return error instanceof TransientError ? 'unavailable' : 'refused';
}
