import { ServiceError } from '../../../core/errors.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';
import type { WrittenFile } from '../storage/storage.ts';
import { outputsOf } from './finish-job.ts';
import { MANIFEST } from './job-folder.ts';
import { type PartKind, partName } from './part-files.ts';
import { inFolder, type JobLocations, type JobSpec, type TargetLocation } from './spec.ts';

export interface OutputTools {
  readonly store: Pick<JobStore, 'shards'>;
  readonly locations: Pick<JobLocations, 'target'>;
}

/**
 * The lines of all files of a kind that the shards of a job have written, in the order of the source; for a running
 * job, those of finished shards.
 *
 * @throws ServiceError `storage_failed`, also if a file has disappeared
 */
export async function* readParts(
  { id, spec }: JobRecord,
  kind: PartKind,
  { store, locations }: OutputTools,
): AsyncGenerator<Buffer> {
  const target = await locations.target(spec as JobSpec);
  for await (const { seq, output } of outputsOf({ jobId: id }, store)) {
    const file = output.files[kind];
    if (file !== undefined) yield* readPart(target, file, partName(target, kind, seq));
  }
}

/** @param lastName the name of the file once its job is finished, which may happen at any time */
async function* readPart(
  { storage }: TargetLocation,
  { name }: WrittenFile,
  lastName: string,
): AsyncGenerator<Buffer> {
  for (const one of [name, lastName]) {
    const file = await storage.find(one);
    if (file === undefined) continue;
    let isBegun = false;
    try {
      for await (const piece of storage.read(file)) {
        isBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      const hasGone = error instanceof ServiceError && error.code === 'source_changed';
      if (isBegun || !hasGone) throw error;
    }
  }
  throw new ServiceError('storage_failed', {
    storage: storage.label,
    reason: `${lastName} no longer exists`,
  });
}

/** The manifest of a job that has ended; undefined if it has none. @throws ServiceError `storage_failed` */
export async function findManifest(
  { spec }: JobRecord,
  locations: OutputTools['locations'],
): Promise<AsyncGenerator<Buffer> | undefined> {
  const { storage, folder } = await locations.target(spec as JobSpec);
  const file = await storage.find(inFolder(folder, MANIFEST));
  return file && pieces(storage.read(file));
}

async function* pieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* bytes;
}
