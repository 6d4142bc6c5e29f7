import { ServiceError } from '../../core/errors.ts';
import type { JobRecord, JobStore } from '../store/jobs/contract.ts';
import { outputsOf } from './finish-job.ts';
import { removeLate, removeOutput } from './job-folder.ts';
import { PART_KINDS, partName } from './part-files.ts';
import type { JobPlaces, TargetPlace } from './places.ts';
import type { JobSpec } from './spec.ts';

interface RemoveTools {
  readonly store: Pick<JobStore, 'remove' | 'shards'>;
  readonly places: JobPlaces;
}

/** Removes a job that is over: its output, then itself. @throws ServiceError `job_not_over` */
export async function removeJob(job: JobRecord, tools: RemoveTools): Promise<void> {
  const { id, state } = job;
  if (job.finished_at === null) {
    const remedy = `cancel it first, by POST /v1/jobs/${id}/cancel`;
    throw new ServiceError('job_not_over', { id, state, remedy });
  }
  await removeWithOutput(job, await tools.places.target(job.spec as JobSpec), tools.store);
}

/**
 * Removes the output of a job, then itself, and what a worker wrote meanwhile that had not heard of its end; what is
 * written later is removed by that worker.
 */
export async function removeWithOutput(
  { id }: Pick<JobRecord, 'id'>,
  target: TargetPlace,
  store: RemoveTools['store'],
): Promise<void> {
  const isOwn = await removeOutput(target, id, fileNames(target, id, store));
  await store.remove(id);
  if (isOwn) await removeLate(target, id);
}

/** The names that the files of a job had when they were written, and those that the finish gives them. */
async function* fileNames(
  target: TargetPlace,
  jobId: string,
  store: Pick<JobStore, 'shards'>,
): AsyncGenerator<string> {
  for await (const { seq, output } of outputsOf({ jobId }, store)) {
    for (const kind of PART_KINDS) {
      const file = output.files[kind];
      if (file !== undefined) yield* [file.name, partName(target, kind, seq)];
    }
  }
}
