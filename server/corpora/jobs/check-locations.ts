import { ServiceError } from '../../../core/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { JobPlaces, JobSpec, TargetPlace } from './spec.ts';

/**
 * Checks where a job reads and writes before it is created, as far as that is quick.
 *
 * @throws ServiceError `path_outside`, `target_taken`, `unknown_connection`, `invalid_parameters`,
 *   `source_unreadable`, `storage_failed`
 */
export async function checkPlaces(spec: JobSpec, places: JobPlaces): Promise<void> {
  const { path } = spec.source;
  const target = await places.target(spec);
  if (path !== undefined) {
    const { storage, from } = await places.source(spec, { jobId: '' });
    if ('path' in from && !(await isThere(storage, from.path))) {
      throw new ServiceError('source_unreadable', {
        source: path,
        reason: 'no file has this name, or is in a folder of this name',
      });
    }
    if ('path' in from && storage.label === target.storage.label) refuseSourceInTarget(from.path, target);
  }
  // Refuses a name outside the storage.
  await target.storage.find(target.folder === '' ? 'manifest.json' : target.folder);
}

/** A job that wrote into its own source would read its output, and remove its input. */
function refuseSourceInTarget(path: string, { storage, folder }: TargetPlace): void {
  if (folder !== '' && path !== folder && !path.startsWith(`${folder}/`)) return;
  const reason = 'it is the source, or contains it';
  throw new ServiceError('target_taken', { target: folder === '' ? storage.label : folder, reason });
}

async function isThere(storage: Storage, path: string): Promise<boolean> {
  if (path !== '' && (await storage.find(path)) !== undefined) return true;
  for await (const _ of storage.list(path)) return true;
  return false;
}
