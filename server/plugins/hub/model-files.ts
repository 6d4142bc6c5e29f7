import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Log, ModelFile, ModelFiles } from '../../../core/contracts/collaborators.ts';
import type { HubSettings } from '../../config/hub-settings.ts';
import { createLocalFiles, isHubName } from './local-files.ts';

export interface HubCollaborators {
  readonly settings: HubSettings;
  readonly log: Log;
  /** Folders of models that are part of plugins, with files at `<folder>/<name>/<file>`. */
  readonly ownFolders?: readonly string[];
  readonly fetch?: typeof fetch;
  /** Maximum milliseconds without bytes from the hub during a download. */
  readonly timeout?: number;
  /** Milliseconds before the first retry of a download. */
  readonly backoff?: number;
  /** Milliseconds before the hub is asked again for a file that it did not have. */
  readonly memory?: number;
}

const MAX_MISSING = 1000;

export function createModelFiles({
  settings,
  log,
  ownFolders = [],
  fetch = globalThis.fetch,
  timeout = 60_000,
  backoff = 500,
  memory = 60_000,
}: HubCollaborators): ModelFiles {
  const { modelsDir, allowDownloads } = settings;
  const local = createLocalFiles([...ownFolders, modelsDir], settings);
  const downloads = new Map<string, Promise<string | undefined>>();
  const missing = new LRUCache<string, true>({ max: MAX_MISSING, ttl: memory });

  /** Downloads a file. Simultaneous calls in this thread for one file share the download. */
  function downloadOnce(name: string, file: ModelFile): Promise<string | undefined> {
    const key = `${name}/${file.name}`;
    if (missing.has(key)) return Promise.resolve(undefined);
    const started = downloads.get(key) ?? fetchFile(key, name, file).finally(() => downloads.delete(key));
    downloads.set(key, started);
    return started;
  }

  async function fetchFile(key: string, name: string, file: ModelFile): Promise<string | undefined> {
    // Loads these modules at the first download, because most servers download nothing.
    const [{ download }, { createHub }] = await Promise.all([import('./download.ts'), import('./hub.ts')]);
    const hub = createHub(settings, fetch);
    const target = join(modelsDir, name, file.name);
    const path = await download({ hub, log, timeout, backoff, name, file, target });
    if (path === undefined) missing.set(key, true);
    return path;
  }

  return {
    async find(name, file) {
      if (!isHubName(name)) return undefined;
      return (await local.find(name, file.name)) ?? (allowDownloads ? downloadOnce(name, file) : undefined);
    },
    names: local.names,
  };
}
