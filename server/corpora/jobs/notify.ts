import { ServiceError } from '../../../core/errors.ts';
import type { Claim, JobStore, ShardResult } from '../../store/jobs/contract.ts';
import { callBack } from './callback.ts';
import { jobAnswer } from './job-answer.ts';
import type { JobSpec } from './spec.ts';

export interface NotifyTools {
  readonly store: Pick<JobStore, 'get'>;
  /** Signs what is posted; `''` if there is none. */
  readonly secret: string;
  /** Whether addresses that are not public may be called. */
  readonly allowPrivate: boolean;
}

const EVENTS = { done: 'job.done', failed: 'job.failed', cancelled: 'job.cancelled' } as const;

/**
 * Notifies the caller that a job has ended.
 *
 * @throws ServiceError `callback_refused` if a retry would give the same result, `callback_failed` if it may succeed
 *   later
 * @throws the signal's reason once it aborts
 */
export async function notifyJob(
  { jobId, spec }: Claim,
  signal: AbortSignal,
  { store, secret, allowPrivate }: NotifyTools,
): Promise<ShardResult> {
  const { callback: url } = spec as JobSpec;
  const job = await store.get(jobId);
  const { state, finished_at } = job;
  // It was reopened; its next end will be reported.
  if (url === undefined || !isFinal(state)) return NOTHING;
  // The server that accepted the job has one, and another worker may too.
  if (secret === '')
    throw new ServiceError('callback_failed', { url, reason: 'BULK_CALLBACK_SECRET is not set' });
  // A retried job ends more than once.
  const callback = { event: EVENTS[state], id: `${jobId}/${finished_at}`, secret, allowPrivate, signal };
  const outcome = await callBack(url, jobAnswer(job), callback);
  if (outcome.state === 'delivered') return NOTHING;
  const code = outcome.state === 'refused' ? 'callback_refused' : 'callback_failed';
  throw new ServiceError(code, { url, reason: outcome.reason });
}

const NOTHING: ShardResult = { documents: 0, documentsFailed: 0, chunks: 0, bytes: 0, output: null };

function isFinal(state: string): state is keyof typeof EVENTS {
  return state in EVENTS;
}
