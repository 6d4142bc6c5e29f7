import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, ServiceError } from '../../../../core/errors.ts';
import { makeFolder as make } from '../../../make-folder.ts';
import { canonicalJson } from '../../../service/canonical-json.ts';
import type { JobRecord, JobStore } from '../../../store/jobs/contract.ts';
import { UsageError } from '../../errors.ts';
import type { ChunkSetup } from '../setup.ts';

/** Where the state of a run is, in its folder. */
export const STATE = '.chunksmith';
/** One key: a folder has one job. */
const KEY = 'chunk';
/** The job is kept as long as its folder. */
const KEEP_SECONDS = 100 * 365 * 24 * 3600;

/** @throws UsageError if it cannot be made */
export async function makeFolder(folder: string): Promise<void> {
  await make(join(folder, STATE)).catch((error: unknown) => {
    throw new UsageError(`--out ${folder}: ${reasonOf(error)}`);
  });
}

/** @throws UsageError if the folder has something, and is not to be gone on with */
export function checkFolder(folder: string, resumes: boolean): void {
  const others = readdirSync(folder).filter((name) => name !== STATE);
  const hasRun = readdirSync(join(folder, STATE)).length > 0;
  if (resumes || (others.length === 0 && !hasRun)) return;
  const remedy = hasRun ? 'go on with --resume, or choose an empty folder' : 'choose an empty folder';
  throw new UsageError(`--out ${folder}: there is something in it; ${remedy}`);
}

/**
 * The job of a folder: a new one, or the one that is there, of which nobody does anything now.
 *
 * @throws UsageError if that does something else
 */
export async function openJob(setup: ChunkSetup, store: JobStore): Promise<JobRecord> {
  const { job, isNew } = await createJob(setup, store);
  if (isNew || job.state === 'done') return job;
  // What a process had begun that was killed would be waited for, and count as a failure.
  await store.cancel(job.id);
  return store.retry(job.id);
}

async function createJob({ spec, flags, source: { files } }: ChunkSetup, store: JobStore) {
  try {
    return await store.create({
      spec,
      digest: hash('sha256', canonicalJson([spec, files, flags.since ?? null]), 'hex'),
      idempotencyKey: KEY,
      upload: null,
      maxErrors: flags.failFast === true ? 0 : null,
      notifies: false,
      keepSeconds: KEEP_SECONDS,
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'idempotency_key_reused') throw error;
    throw new UsageError(
      '--resume: the run in this folder has other options, or its files have changed since',
    );
  }
}
