import type { Log } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import type { JobStore } from '../store/jobs/contract.ts';
import { removeOutput } from './finish-job.ts';
import type { JobPlaces } from './places.ts';
import type { JobSpec } from './spec.ts';

/** Jobs that are removed at once. */
const SOME = 10;

/** Removes jobs whose time is over, their output first. What cannot be removed now is left for the next time. */
export async function expireJobs(
  store: Pick<JobStore, 'expired' | 'cancel' | 'remove'>,
  places: JobPlaces,
  log: Log,
): Promise<void> {
  try {
    for (const { id, spec, finished_at } of await store.expired(SOME)) {
      if (finished_at === null) await store.cancel(id);
      await removeOutput(await places.target(spec as JobSpec), new AbortController().signal);
      await store.remove(id);
      log.info({ job: id }, 'jobs: removed a job whose time is over');
    }
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: a job whose time is over could not be removed');
  }
}
