import { text } from 'node:stream/consumers';
import { ServiceError } from '../../../core/errors.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import type { Storage } from '../storage/storage.ts';
import { isAttemptOf, isPartName } from './part-files.ts';
import { inFolder, type TargetLocation } from './spec.ts';

export const MANIFEST = 'manifest.json';
const JOB_FILE = 'job.json';
const UNFINISHED = /^(manifest|job)\.json\.tmp-[\da-f-]{36}$/;

/**
 * Marks a folder as owned by the job. If several jobs try at the same time, one succeeds. An unmarked folder
 * is refused if its files have names like those of a job: somebody else owns them.
 *
 * @throws ServiceError `target_taken`
 */
export async function takeFolder(target: TargetLocation, { jobId, spec }: Claim): Promise<void> {
  if ((await ownerOf(target)) === undefined) {
    const other = await findOthers(target);
    if (other !== undefined) throw taken(target, `it has a file ${other} that was not written by a job`);
    const mark = Buffer.from(`${JSON.stringify({ job: jobId, ...spec }, undefined, 2)}\n`);
    await target.storage.createOnce(inFolder(target.folder, JOB_FILE), mark);
  }
  await checkFolder(target, jobId);
}

/** @throws ServiceError `target_taken` if the folder belongs to another job */
export async function checkFolder(target: TargetLocation, jobId: string): Promise<void> {
  if (!(await isFolderOf(target, jobId))) throw taken(target, 'it contains the output of another job');
}

function taken({ storage, folder }: TargetLocation, reason: string): ServiceError {
  return new ServiceError('target_taken', { target: folder === '' ? storage.label : folder, reason });
}

async function findOthers(target: TargetLocation): Promise<string | undefined> {
  for await (const { own } of filesIn(target)) {
    if (isPartName(own) || own === MANIFEST) return own;
  }
  return undefined;
}

/**
 * Removes everything that a job has written. A job writes only to a folder with its own mark.
 *
 * @param names of the files of the job's shards
 * @returns whether the folder belongs to the job
 */
export async function removeOutput(
  target: TargetLocation,
  jobId: string,
  names: AsyncIterable<string>,
): Promise<boolean> {
  if (!(await isFolderOf(target, jobId))) return false;
  const { storage, folder } = target;
  await storage.remove(inFolder(folder, MANIFEST));
  for await (const name of names) await storage.remove(name);
  await removeAttempts(target, jobId);
  // The mark is removed last, so that after a crash the remaining files still belong to the job.
  await storage.remove(inFolder(folder, JOB_FILE));
  if (folder !== '') await storage.removeFolder(folder);
  return true;
}

/**
 * Removes what a late worker wrote to a job's folder after the job's output was removed.
 *
 * @param wroteManifest whether this worker finished the job and wrote the manifest
 */
export async function removeLate(
  target: TargetLocation,
  jobId: string,
  wroteManifest = false,
): Promise<void> {
  const { storage, folder } = target;
  const owner = await ownerOf(target);
  if (owner === jobId || (owner === undefined && wroteManifest)) {
    const manifest = (await readJson(target, MANIFEST)) as Partial<ManifestFiles> | null | undefined;
    const files = manifest?.shards?.flatMap((shard) => Object.values(shard.files)) ?? [];
    await removeFiles(storage, [
      ...files.map(({ name }) => inFolder(folder, name)),
      inFolder(folder, MANIFEST),
    ]);
  }
  await removeAttempts(target, jobId);
  if (owner === jobId) await storage.remove(inFolder(folder, JOB_FILE));
  if (folder !== '') await storage.removeFolder(folder);
}

/** Removes the invalid manifest of a worker that finished too late, unless another job owns the folder. */
export async function withdrawManifest(target: TargetLocation, jobId: string): Promise<void> {
  const owner = await ownerOf(target);
  if (owner !== undefined && owner !== jobId) return;
  await target.storage.remove(inFolder(target.folder, MANIFEST));
  if (target.folder !== '') await target.storage.removeFolder(target.folder);
}

interface ManifestFiles {
  readonly shards: readonly { readonly files: Readonly<Record<string, { readonly name: string }>> }[];
}

export async function removeFiles(storage: Storage, names: Iterable<string>): Promise<void> {
  for (const name of names) await storage.remove(name);
}

export async function isFolderOf(target: TargetLocation, jobId: string): Promise<boolean> {
  return (await ownerOf(target)) === jobId;
}

/** Removes the files of shard attempts, except the given files. @throws the signal's reason once it aborts */
export async function removeAttempts(
  target: TargetLocation,
  jobId: string,
  kept: ReadonlySet<string> = new Set(),
  signal?: AbortSignal,
): Promise<void> {
  const isOwner = await isFolderOf(target, jobId);
  for await (const { name, own } of filesIn(target)) {
    signal?.throwIfAborted();
    const isOurs = isAttemptOf(jobId, own) || (isOwner && UNFINISHED.test(own));
    if (isOurs && !kept.has(name)) await target.storage.remove(name);
  }
}

async function* filesIn({ storage, folder }: TargetLocation): AsyncGenerator<{ name: string; own: string }> {
  for await (const { name, unread } of storage.list(folder)) {
    if (unread !== undefined) continue;
    const own = folder === '' ? name : name.slice(folder.length + 1);
    if (!own.includes('/')) yield { name, own };
  }
}

async function ownerOf(target: TargetLocation): Promise<unknown> {
  const mark = await readJson(target, JOB_FILE);
  return mark === undefined ? undefined : ((mark as { job?: unknown } | null)?.job ?? null);
}

/** A file's parsed content; null if the content is not JSON, undefined if the file does not exist. */
async function readJson({ storage, folder }: TargetLocation, name: string): Promise<unknown> {
  const file = await storage.find(inFolder(folder, name));
  if (file === undefined) return undefined;
  try {
    return JSON.parse(await text(storage.read(file)));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
