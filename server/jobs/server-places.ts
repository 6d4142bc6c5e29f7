import { ServiceError } from '../../core/errors.ts';
import { openConnections, openStorage, type Storages } from '../corpus/open-storage.ts';
import type { CorporaSettings } from '../corpus/settings.ts';
import { OUTPUT } from '../corpus/shard.ts';
import type { JobStore } from '../store/jobs/contract.ts';
import type { JobPlaces } from './places.ts';
import { UPLOAD, uploadStorage } from './upload-storage.ts';
import { withoutFolders } from './without-folders.ts';

/**
 * Opens what jobs of a server name: below its root, or in a bucket of a connection. Nothing is loaded before the first is
 * opened.
 */
export function createServerPlaces(settings: CorporaSettings, store: Pick<JobStore, 'upload'>): JobPlaces {
  let opening: Promise<Storages> | undefined;
  const open = async (path: string) => {
    opening ??= openStorages(settings);
    const storages = await opening;
    return path === WHOLE && storages.root !== undefined
      ? { storage: storages.root, name: '' }
      : openStorage(path, storages);
  };
  return {
    async source({ source: { path }, target }, { jobId }) {
      if (path === undefined) return { storage: uploadStorage(await uploaded(store, jobId)), from: UPLOAD };
      const { storage, name } = await open(path);
      const written = await open(target.path);
      const own = written.storage === storage && written.name !== '' ? [written.name] : [];
      return { storage: withoutFolders(storage, [OUTPUT, ...own]), from: { path: name } };
    },
    async target({ target }) {
      const { storage, name } = await open(target.path);
      return { storage, folder: name, format: target.format };
    },
  };
}

/** The path of the root itself. */
const WHOLE = '.';
/** What messages call the root; its path is the operator's. */
const ROOT_LABEL = 'the folder of jobs';

async function openStorages({ root, connections }: CorporaSettings): Promise<Storages> {
  const buckets = await openConnections(connections);
  if (root === undefined) return { connections: buckets };
  const { createLocalFolder } = await import('../corpus/local-folder.ts');
  return { root: createLocalFolder(root, ROOT_LABEL), connections: buckets };
}

async function uploaded(store: Pick<JobStore, 'upload'>, jobId: string): Promise<string> {
  const lines = await store.upload(jobId);
  if (lines === null) throw new ServiceError('job_not_found', { id: jobId });
  return lines;
}
