import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Extensions of the files beside a file during its download. */
const RESERVED = /\.(lock|part|part\.json)$/;

/** Whether a name can be one of the hub's; a path or a URL never is. */
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

/** The model names that the folders in a folder can represent: `name` and `owner/name`. */
export async function namesIn(models: string): Promise<string[]> {
  const owners = await list(models);
  const nested = await Promise.all(
    owners.map(async (owner) => (await list(join(models, owner))).map((inner) => `${owner}/${inner}`)),
  );
  return [...owners, ...nested.flat()].filter(isHubName);
}

/** The names of the models in the hub's cache, even if not all of their files exist. */
export async function namesInCache(cache: string): Promise<string[]> {
  return (await list(cache))
    .filter((folder) => folder.startsWith('models--'))
    .map((folder) => folder.replace(/^models--/, '').replace('--', '/'))
    .filter(isHubName);
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
