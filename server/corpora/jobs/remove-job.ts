import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import type { Claim, JobRecord, JobState, JobStore, ShardResult } from '../../store/jobs/contract.ts';
import { removeLate, removeOutput, withdrawManifest } from './job-folder.ts';
import { outputsOf, type ShardOutput } from './job-output.ts';
import { PART_KINDS, partName } from './part-files.ts';
import type { JobLocations, JobSpec, TargetLocation } from './spec.ts';

interface RemoveTools {
  readonly store: Pick<JobStore, 'remove' | 'shards'>;
  readonly locations: JobLocations;
}

/** Removes a job that has ended: its output, then its record. @throws ServiceError `job_not_over` */
export async function removeJob(job: JobRecord, tools: RemoveTools): Promise<void> {
  const { id, state } = job;
  if (job.finished_at === null) {
    const remedy = `cancel it first with POST /v1/jobs/${id}/cancel`;
    throw new ServiceError('job_not_over', { id, state, remedy });
  }
  await removeWithOutput(job, await tools.locations.target(job.spec as JobSpec), tools.store);
}

/**
 * Removes the output of a job, then its record, and then what a worker has written meanwhile. A worker that
 * writes even later detects the removal, and removes its own output.
 */
export async function removeWithOutput(
  { id }: Pick<JobRecord, 'id'>,
  target: TargetLocation,
  store: RemoveTools['store'],
): Promise<void> {
  const isOwn = await removeOutput(target, id, fileNames(target, id, store));
  await store.remove(id);
  if (isOwn) await removeLate(target, id);
}

async function* fileNames(
  target: TargetLocation,
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

/**
 * Removes what a worker has written for a shard that it no longer owns: the files of its attempt. If the job
 * was cancelled or removed, also the late output of its plan or finish.
 *
 * @param refused the worker's result, which the store has refused; undefined if the work did not finish
 */
export async function discardShard(
  { jobId, kind, spec }: Claim,
  refused: ShardResult | undefined,
  { store, locations }: { readonly store: Pick<JobStore, 'get'>; readonly locations: JobLocations },
): Promise<void> {
  const target = await locations.target(spec as JobSpec);
  if (kind === 'chunk') {
    const output = refused?.output as ShardOutput | null | undefined;
    for (const { name } of Object.values(output?.files ?? {})) await target.storage.remove(name);
  }
  if (kind === 'notify') return;
  const wroteManifest = kind === 'finish' && refused !== undefined;
  const state = await stateOf(store, jobId);
  if (state === undefined) await removeLate(target, jobId, wroteManifest);
  // A removal in progress may have run before the manifest was written. If another worker finishes the job,
  // that worker owns the manifest.
  else if (wroteManifest && OVER_WITHOUT_OUTPUT.has(state)) await withdrawManifest(target, jobId);
}

const OVER_WITHOUT_OUTPUT: ReadonlySet<JobState> = new Set(['cancelled', 'failed']);

async function stateOf(store: Pick<JobStore, 'get'>, jobId: string): Promise<JobState | undefined> {
  try {
    return (await store.get(jobId)).state;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'job_not_found') return undefined;
    throw error;
  }
}

type ExpiryStore = Pick<JobStore, 'expired' | 'cancel' | 'remove' | 'shards'>;

const SOME = 100;

/** Removes expired jobs: their output, then their records. The next call retries failed removals. */
export async function expireJobs(store: ExpiryStore, locations: JobLocations, log: Log): Promise<void> {
  try {
    for (let isMore = true; isMore; ) {
      const jobs = await store.expired(SOME);
      let removed = 0;
      for (const job of jobs) if (await expire(job, store, locations, log)) removed++;
      isMore = jobs.length === SOME && removed > 0;
    }
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: expired jobs could not be found');
  }
}

async function expire(
  job: JobRecord,
  store: ExpiryStore,
  locations: JobLocations,
  log: Log,
): Promise<boolean> {
  const { id } = job;
  try {
    if (job.finished_at === null) await store.cancel(id);
    const target = await targetOf(job, locations);
    if (target === undefined) await store.remove(id);
    else await removeWithOutput(job, target, store);
    log.info({ job: id, files: target !== undefined }, 'jobs: removed an expired job');
    return true;
  } catch (error) {
    const hasGone = error instanceof ServiceError && error.code === 'job_not_found';
    if (!hasGone) {
      log.warn({ job: id, reason: reasonOf(error) }, 'jobs: an expired job could not be removed');
    }
    return hasGone;
  }
}

/** Undefined if the server's root or connections have changed, so that the target cannot be reached. */
async function targetOf({ spec }: JobRecord, locations: JobLocations): Promise<TargetLocation | undefined> {
  try {
    return await locations.target(spec as JobSpec);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}
