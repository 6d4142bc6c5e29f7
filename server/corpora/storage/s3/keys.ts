import { ServiceError } from '../../../../core/errors.ts';
import type { BucketConnection } from './connection.ts';

/** The keys of a bucket for the names of a storage, which is confined to a prefix. */
export interface Keys {
  /** @throws ServiceError `path_outside` if the name has empty segments, `.` or `..`, or cannot be sent */
  keyOf(name: string): string;
  /** The prefix of the keys of all files below a folder. @throws as `keyOf` does */
  prefixOf(folder: string): string;
  nameOf(key: string): string;
}

export function createKeys({ prefix }: Pick<BucketConnection, 'prefix'>, label: string): Keys {
  const base = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (name: string) => {
    if (!isSound(name)) throw new ServiceError('path_outside', { path: name, storage: label });
    return base + name;
  };
  return {
    keyOf,
    prefixOf: (folder) => (folder === '' ? base : `${keyOf(folder)}/`),
    nameOf: (key) => key.slice(base.length),
  };
}

/** Whether a name can be part of a URL unchanged: URLs resolve `.` and `..`. */
export function isSound(name: string): boolean {
  return name.isWellFormed() && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
