import type { Log } from '../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError } from '../../core/errors.ts';
import type { JobRecord, JobStore } from '../store/jobs/contract.ts';
import type { JobPlaces, TargetPlace } from './places.ts';
import { removeWithOutput } from './remove-job.ts';
import type { JobSpec } from './spec.ts';

type ExpiryStore = Pick<JobStore, 'expired' | 'cancel' | 'remove' | 'shards'>;

/** Jobs that are removed one after the other. */
const SOME = 100;

/** Removes jobs whose time is over, their output first. What cannot be removed now is left for the next time. */
export async function expireJobs(store: ExpiryStore, places: JobPlaces, log: Log): Promise<void> {
  try {
    for (let isMore = true; isMore; ) {
      const jobs = await store.expired(SOME);
      let removed = 0;
      for (const job of jobs) if (await expire(job, store, places, log)) removed++;
      isMore = jobs.length === SOME && removed > 0;
    }
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: those whose time is over could not be found');
  }
}

/** @returns whether it has gone */
async function expire(job: JobRecord, store: ExpiryStore, places: JobPlaces, log: Log): Promise<boolean> {
  const { id } = job;
  try {
    if (job.finished_at === null) await store.cancel(id);
    const target = await targetOf(job, places);
    if (target === undefined) await store.remove(id);
    else await removeWithOutput(job, target, store);
    log.info({ job: id, files: target !== undefined }, 'jobs: removed a job whose time is over');
    return true;
  } catch (error) {
    // Another process may have been faster.
    const hasGone = error instanceof ServiceError && error.code === 'job_not_found';
    if (!hasGone) {
      log.warn({ job: id, reason: reasonOf(error) }, 'jobs: a job whose time is over could not be removed');
    }
    return hasGone;
  }
}

/** Undefined if the server cannot reach it any more: its root or its connections are others now. */
async function targetOf({ spec }: JobRecord, places: JobPlaces): Promise<TargetPlace | undefined> {
  try {
    return await places.target(spec as JobSpec);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}
