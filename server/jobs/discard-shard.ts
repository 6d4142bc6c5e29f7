import { ServiceError } from '../../core/errors.ts';
import type { Claim, JobState, JobStore, ShardResult } from '../store/jobs/contract.ts';
import type { ShardOutput } from './chunk-shard.ts';
import { removeLate, withdrawManifest } from './job-folder.ts';
import type { JobPlaces } from './places.ts';
import type { JobSpec } from './spec.ts';

/**
 * Removes what was made of a shard that is not the worker's any more: files which do not count, by the name of their
 * attempt, and what the plan or the finish of a job has written that was cancelled or removed meanwhile.
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
  if (kind === 'notify') return;
  const wroteManifest = kind === 'finish' && refused !== undefined;
  const state = await stateOf(store, jobId);
  if (state === undefined) await removeLate(target, jobId, wroteManifest);
  // A removal that runs now may have passed the manifest already. While another worker finishes the job, and once it is
  // done, the manifest is that worker's.
  else if (wroteManifest && OVER_WITHOUT_OUTPUT.has(state)) await withdrawManifest(target, jobId);
}

const OVER_WITHOUT_OUTPUT: ReadonlySet<JobState> = new Set(['cancelled', 'failed']);

/** The state of a job; undefined if it was removed. */
async function stateOf(store: Pick<JobStore, 'get'>, jobId: string): Promise<JobState | undefined> {
  try {
    return (await store.get(jobId)).state;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'job_not_found') return undefined;
    throw error;
  }
}
