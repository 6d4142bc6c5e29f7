import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from './server.ts';

/** A disk that can be filled. */
export type SmallDisk = NonNullable<ReturnType<typeof mountSmallDisk>>;

/** Mounts a disk of so many bytes, such as `1m`, in a folder; undefined if this user may not. @param owner of the folder */
export function mountSmallDisk(t: Cleanup, folder: string, size: string, owner = 0) {
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status;
  if (mount(`size=${size},uid=${owner},gid=${owner}`) !== 0) return undefined;
  t.teardown(() => spawnSync('umount', ['-l', folder]));
  const filler = join(folder, 'filler');
  return {
    /** Takes all that is left of it. */
    async fill() {
      const file = await open(filler, 'w');
      for (let bytes = 1_048_576; bytes >= 1; ) {
        const written = await file.write(Buffer.alloc(bytes)).catch(() => ({ bytesWritten: 0 }));
        if (written.bytesWritten < bytes) bytes = Math.floor(bytes / 2);
      }
      await file.close();
    },
    /** Gives that back. */
    free: () => rm(filler, { force: true }),
    resize: (to: string) => void mount(`remount,size=${to}`),
  };
}
