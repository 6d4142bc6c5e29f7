import { ServiceError } from '../../core/errors.ts';
import type { ShardRange } from './shard.ts';
import { isForbidden } from './storage/local/paths.ts';
import { type SourceStorage, type StoredFile, UNREAD, unreadFile } from './storage/storage.ts';

/** The version of a file that was only listed. */
const UNSEEN = 'unseen';
/** Bytes of such a file, for the division of a source. */
const USUAL_SIZE = 8192;

/** A file of which only the name is known. The thread that reads the file looks at it. */
export function unseenFile(name: string): StoredFile {
  return { name, size: USUAL_SIZE, version: UNSEEN };
}

/** Looks at the unseen files of a range. Leaves out those that no longer exist. */
export async function seen(storage: SourceStorage, range: ShardRange): Promise<ShardRange> {
  if (!range.files.some(({ version }) => version === UNSEEN)) return range;
  const found: StoredFile[] = [];
  for (let at = 0; at < range.files.length; at += TOGETHER) {
    const some = range.files.slice(at, at + TOGETHER);
    const looked = await Promise.all(
      some.map((file) => (file.version === UNSEEN ? findFile(storage, file.name) : file)),
    );
    found.push(...looked.filter((file) => file !== undefined));
  }
  return { ...range, files: found };
}

const TOGETHER = 32;

/** Finds a file. Without permission, the file is an unread one. */
export async function findFile(storage: SourceStorage, name: string): Promise<StoredFile | undefined> {
  try {
    return await storage.find(name);
  } catch (error) {
    if (error instanceof ServiceError && isForbidden(error.cause)) return unreadFile(name, UNREAD.forbidden);
    throw error;
  }
}
