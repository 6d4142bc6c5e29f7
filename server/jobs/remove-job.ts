import { ServiceError } from '../../core/errors.ts';
import type { JobRecord, JobStore } from '../store/jobs/contract.ts';
import { removeOutput } from './job-folder.ts';
import type { JobPlaces } from './places.ts';
import type { JobSpec } from './spec.ts';

/** Removes a job that is over: its output, then itself. @throws ServiceError `job_not_over` */
export async function removeJob(
  { id, spec, state, finished_at }: JobRecord,
  { store, places }: { readonly store: Pick<JobStore, 'remove'>; readonly places: JobPlaces },
): Promise<void> {
  if (finished_at === null) {
    throw new ServiceError('job_not_over', {
      id,
      state,
      remedy: `cancel it first, by POST /v1/jobs/${id}/cancel`,
    });
  }
  await removeOutput(await places.target(spec as JobSpec), { id });
  await store.remove(id);
}
