import { join } from 'node:path';
import type { Log, ModelFile, ModelFiles, Settings } from '../../core/contracts.ts';
import { createDownload } from './download.ts';
import { createHub } from './hub.ts';
import { createLocalFiles } from './local-files.ts';
import { isHubName } from './names.ts';

export { isHubName };

export interface HubCollaborators {
  readonly settings: Settings;
  readonly log: Log;
  /** Folders in which plugins bring models of their own: `<folder>/<name>/<file>`. */
  readonly ownFolders?: readonly string[];
  readonly fetch?: typeof fetch;
  /** How long the hub may be silent during a download, in milliseconds. */
  readonly timeout?: number;
  /** The wait before a download is tried again for the first time, in milliseconds. */
  readonly backoff?: number;
  /** How long it is remembered that the hub does not have a file, in milliseconds. */
  readonly memory?: number;
}

/** Finds the files of models on this machine and, where it may, on the hub. */
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
  const download = createDownload({ hub: createHub(settings, fetch), log, timeout, backoff });
  const downloads = new Map<string, Promise<string | undefined>>();
  const missing = createMemory(memory);

  /** Downloads a file once, however many of this thread ask for it meanwhile. */
  function downloadOnce(name: string, file: ModelFile): Promise<string | undefined> {
    const key = `${name}/${file.name}`;
    if (missing.has(key)) return Promise.resolve(undefined);
    const started = downloads.get(key) ?? fetchFile(key, name, file).finally(() => downloads.delete(key));
    downloads.set(key, started);
    return started;
  }

  async function fetchFile(key: string, name: string, file: ModelFile): Promise<string | undefined> {
    const path = await download(name, file, join(modelsDir, name, file.name));
    if (path === undefined) missing.add(key);
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

/** Remembers keys for so many milliseconds. */
function createMemory(milliseconds: number) {
  const ends = new Map<string, number>();
  return {
    has: (key: string): boolean => (ends.get(key) ?? 0) > performance.now(),
    add(key: string): void {
      const now = performance.now();
      for (const [other, end] of ends) if (end <= now) ends.delete(other);
      ends.set(key, now + milliseconds);
    },
  };
}
