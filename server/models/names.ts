import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Endings of what stands beside a file while it is downloaded. */
const OURS = /\.(lock|part|part\.json)$/;

/** Whether a name can be one of the hub's: never a path, never a URL. */
export function isHubName(name: string): boolean {
  const segments = name.split('/');
  return (
    name.length <= 200 &&
    segments.length <= 2 &&
    !name.includes('..') &&
    !name.includes('--') &&
    segments.every((segment) => SEGMENT.test(segment) && !OURS.test(segment))
  );
}

/** The names that folders can have in a folder of models: `name` and `owner/name`. */
export async function namesIn(models: string): Promise<string[]> {
  const owners = await list(models);
  const nested = await Promise.all(
    owners.map(async (owner) => (await list(join(models, owner))).map((inner) => `${owner}/${inner}`)),
  );
  return [...owners, ...nested.flat()].filter(isHubName);
}

/** The names of the models in the hub's cache, whatever of them is there. */
export async function namesInCache(cache: string): Promise<string[]> {
  return (await list(cache))
    .filter((folder) => folder.startsWith('models--'))
    .map((folder) => folder.replace(/^models--/, '').replace('--', '/'))
    .filter(isHubName);
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
