import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HubSettings } from '../../config/hub-settings.ts';

/**
 * Finds the files of models on this machine.
 *
 * @param folders folders with files at `<folder>/<name>/<file>`; earlier folders have precedence
 */
export function createLocalFiles(folders: readonly string[], { hubCacheDir, hubRevision }: HubSettings) {
  async function findInFolders(name: string, file: string): Promise<string | undefined> {
    for (const folder of folders) {
      const path = await existing(join(folder, name, file));
      if (path !== undefined) return path;
    }
    return undefined;
  }

  async function findInCache(name: string, file: string): Promise<string | undefined> {
    const folder = join(hubCacheDir, `models--${name.replace('/', '--')}`);
    const commit = await commitOf(folder, hubRevision);
    return commit === undefined ? undefined : existing(join(folder, 'snapshots', commit, file));
  }

  const find = async (name: string, file: string) =>
    (await findInFolders(name, file)) ?? findInCache(name, file);

  return {
    find,
    async names(file: string): Promise<string[]> {
      const cached = namesHaving(await namesInCache(hubCacheDir), (name) => findInCache(name, file));
      const inFolder = async (folder: string) =>
        namesHaving(await namesIn(folder), (name) => existing(join(folder, name, file)));
      const lists = await Promise.all([...folders.map(inFolder), cached]);
      return [...new Set(lists.flat())].sort();
    },
  };
}

async function namesHaving(
  names: readonly string[],
  find: (name: string) => Promise<string | undefined>,
): Promise<string[]> {
  const found = await Promise.all(names.map(find));
  return names.filter((_, index) => found[index] !== undefined);
}

export async function existing(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : undefined;
}

async function commitOf(folder: string, revision: string): Promise<string | undefined> {
  if (/^[0-9a-f]{40}$/.test(revision)) return revision;
  const text = await readFile(join(folder, 'refs', revision), 'utf8').catch(() => '');
  const commit = text.trim();
  return /^[0-9A-Za-z]{1,64}$/.test(commit) ? commit : undefined;
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Extensions of temporary files, which are beside a file while it is downloaded. */
const RESERVED = /\.(lock|part|part\.json)$/;

/** Whether a name is a valid name of a model on the hub. Paths and URLs are not. */
export function isHubName(name: string): boolean {
  const segments = name.split('/');
  return (
    name.length <= 200 &&
    segments.length <= 2 &&
    !name.includes('..') &&
    !name.includes('--') &&
    segments.every((segment) => SEGMENT.test(segment) && !RESERVED.test(segment))
  );
}

async function namesIn(models: string): Promise<string[]> {
  const owners = await list(models);
  const nested = await Promise.all(
    owners.map(async (owner) => (await list(join(models, owner))).map((inner) => `${owner}/${inner}`)),
  );
  return [...owners, ...nested.flat()].filter(isHubName);
}

/** Names of all models in the hub's local cache, including models with missing files. */
async function namesInCache(cache: string): Promise<string[]> {
  return (await list(cache))
    .filter((folder) => folder.startsWith('models--'))
    .map((folder) => folder.replace(/^models--/, '').replace('--', '/'))
    .filter(isHubName);
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
