import { ServiceError } from '../../core/errors.ts';
import type { Claim, JobStore, ShardResult } from '../store/jobs/contract.ts';
import type { ShardOutput } from './chunk-shard.ts';
import { removeLate } from './job-folder.ts';
import type { JobPlaces } from './places.ts';
import type { JobSpec } from './spec.ts';

/**
 * Removes what was made of a shard that is not the worker's any more: files which do not count, by the name of their
 * attempt, and what the plan or the finish of a job has written that was removed meanwhile.
 *
 * @param refused what does not count, if the work came to an end
 */
export async function discardShard(
  { jobId, kind, spec }: Claim,
  refused: ShardResult | undefined,
  { store, places }: { readonly store: Pick<JobStore, 'get'>; readonly places: JobPlaces },
): Promise<void> {
  const target = await places.target(spec as JobSpec);
  if (kind === 'chunk') {
    const output = refused?.output as ShardOutput | null | undefined;
    for (const { name } of Object.values(output?.files ?? {})) await target.storage.remove(name);
  }
  const writesFolder = kind === 'plan' || kind === 'finish';
  if (writesFolder && (await hasGone(store, jobId))) await removeLate(target, jobId);
}

async function hasGone(store: Pick<JobStore, 'get'>, jobId: string): Promise<boolean> {
  try {
    await store.get(jobId);
    return false;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'job_not_found') return true;
    throw error;
  }
}
