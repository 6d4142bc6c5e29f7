import { getSystemErrorMap } from 'node:util';
import { reasonOf, ServiceError } from '../../../../core/errors.ts';
import { codeOf, isBusyFile, withRetries } from '../../../config/retry.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on its disk: free some space',
  EDQUOT: 'its quota is used up: free some space',
  EROFS: 'it is read-only',
  EACCES: 'the server has no permission: grant it',
  EPERM: 'the server has no permission: grant it',
  EMFILE: 'the server has too many files open: raise its limit',
  EISDIR: 'there is a folder of this name',
};
/** The file does not and cannot exist. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO'];
const RETRIES = { retries: 3, firstDelay: 50, maxDelay: 1000 };

/** Says in words, and without the path on this machine, why the file system refused something. */
export function storageFailed(storage: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  const { errno } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  const reason = REMEDIES[code ?? ''] ?? known ?? code ?? reasonOf(error);
  return new ServiceError('storage_failed', { storage, reason }, error);
}

/** Retries temporary errors, such as too many open files. @throws ServiceError `storage_failed` */
export async function attempt<T>(storage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBusyFile(error)) throw storageFailed(storage, error);
  }
  return withRetries(RETRIES, { isTransient: isBusyFile }, work).catch((error: unknown) => {
    throw storageFailed(storage, error);
  });
}

/** The result of the work, or undefined if there is no such file. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes(codeOf(error) ?? '');
}

/** Whether permission is missing. */
export function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}
