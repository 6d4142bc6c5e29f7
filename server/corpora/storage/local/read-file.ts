import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../../../core/errors.ts';
import { allocatePiece } from '../buffer-release.ts';
import { type StoredFile, unreadable } from '../storage.ts';
import { isForbidden, unlessMissing } from './failures.ts';
import { versionOf } from './list-folder.ts';

/** Bytes that are read at once. */
const PIECE = 1024 * 1024;
/** Opening does not follow a link, or wait for a pipe, that has replaced a file. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * The bytes of a file in [from, to). After each piece is read, the file is checked to still be the requested version.
 *
 * @param path its real path
 * @throws ServiceError `source_changed`, and `source_unreadable` if this file may not be read
 */
export async function* readFilePieces(
  path: string,
  file: StoredFile,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  const handle = await unlessMissing(openAllowed(path, file));
  if (handle === undefined) throw changed(file);
  try {
    await checkVersion(handle, file);
    let at = from;
    while (at < to) {
      const buffer = allocatePiece(Math.min(PIECE, to - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      await checkVersion(handle, file);
      if (bytesRead === 0) throw changed(file);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function openAllowed(path: string, { name }: StoredFile): Promise<FileHandle> {
  return open(path, FLAGS).catch((error: unknown) => {
    throw isForbidden(error) ? unreadable(name, 'there is no permission to read it', error) : error;
  });
}

export function changed({ name }: StoredFile): ServiceError {
  return new ServiceError('source_changed', { source: name });
}

async function checkVersion(handle: FileHandle, file: StoredFile): Promise<void> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile() || versionOf(stats) !== file.version) throw changed(file);
}
