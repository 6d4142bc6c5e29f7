import { ServiceError } from '../../core/errors.ts';
import type { Storage } from '../corpus/storage.ts';
import type { Claim } from '../store/jobs/contract.ts';
import { isPartName } from './part-files.ts';
import { inFolder, type TargetPlace } from './places.ts';

export const MANIFEST = 'manifest.json';
/** What the folder of a job has of it from the beginning on. */
const JOB_FILE = 'job.json';

/**
 * Marks a folder as the job's, so that no two jobs write into one.
 *
 * @throws ServiceError `target_taken`
 */
export async function takeFolder(target: TargetPlace, { jobId, spec }: Claim): Promise<void> {
  if ((await ownerOf(target)) === undefined) {
    const writer = await target.storage.create(inFolder(target.folder, JOB_FILE));
    await writer.write(Buffer.from(`${JSON.stringify({ job: jobId, ...spec }, undefined, 2)}\n`));
    await writer.finish();
  }
  await checkFolder(target, jobId);
}

/** @throws ServiceError `target_taken` if the folder is another job's */
export async function checkFolder(target: TargetPlace, jobId: string): Promise<void> {
  if ((await ownerOf(target)) === jobId) return;
  const { storage, folder } = target;
  throw new ServiceError('target_taken', { target: folder === '' ? storage.label : folder });
}

/**
 * Removes all that a job has written. In a folder that is not marked as its own, it has written nothing.
 *
 * @returns whether the folder was its own
 */
export async function removeOutput(target: TargetPlace, jobId: string): Promise<boolean> {
  const isOwn = (await ownerOf(target)) === jobId;
  if (isOwn) await removeAll(target);
  return isOwn;
}

/** Removes what came into the folder of a job after its output was removed, unless another job has it now. */
export async function removeLate(target: TargetPlace, jobId: string): Promise<void> {
  const owner = await ownerOf(target);
  if (owner === undefined || owner === jobId) await removeAll(target);
}

async function removeAll(target: TargetPlace): Promise<void> {
  const { storage, folder } = target;
  await storage.remove(inFolder(folder, MANIFEST));
  await removeOthers(target, new Set());
  // The mark is the last to go, so that what is left over after a crash is still known as the job's.
  await storage.remove(inFolder(folder, JOB_FILE));
  if (folder !== '') await storage.removeFolder(folder);
}

/** Removes the files of shards that are not among these names. @throws the signal's reason once it aborts */
export async function removeOthers(
  { storage, folder }: TargetPlace,
  names: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  for await (const { name } of storage.list(folder)) {
    signal?.throwIfAborted();
    const own = folder === '' ? name : name.slice(folder.length + 1);
    if (isPartName(own) && !names.has(name)) await storage.remove(name);
  }
}

/** The id of the job whose folder it is; undefined if it is nobody's. */
async function ownerOf({ storage, folder }: TargetPlace): Promise<unknown> {
  const file = await storage.find(inFolder(folder, JOB_FILE));
  if (file === undefined) return undefined;
  const text = await readText(storage, file);
  try {
    return (JSON.parse(text) as { job?: unknown } | null)?.job ?? null;
  } catch {
    return null;
  }
}

async function readText(storage: Storage, file: Parameters<Storage['read']>[0]): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of storage.read(file)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
