import { ServiceError } from '../../core/errors.ts';
import type { Storage } from '../corpus/storage.ts';
import type { JobPlaces } from './places.ts';
import type { JobSpec } from './spec.ts';

/**
 * Checks where a job reads and writes before it is made, as far as that does not take long.
 *
 * @throws ServiceError `path_outside`, `unknown_connection`, `invalid_parameters`, `source_unreadable`, `storage_failed`
 */
export async function checkPlaces(spec: JobSpec, places: JobPlaces): Promise<void> {
  const { path } = spec.source;
  if (path !== undefined) {
    const { storage, from } = await places.source(spec, { jobId: '' });
    if ('path' in from && !(await isThere(storage, from.path))) {
      throw new ServiceError('source_unreadable', {
        source: path,
        reason: 'there is no file of this name, and none below it',
      });
    }
  }
  const { storage, folder } = await places.target(spec);
  // Refuses a name that leads out of the storage.
  await storage.find(folder === '' ? 'manifest.json' : folder);
}

async function isThere(storage: Storage, path: string): Promise<boolean> {
  if (path !== '' && (await storage.find(path)) !== undefined) return true;
  for await (const _ of storage.list(path)) return true;
  return false;
}
