import type { Storage } from '../corpus/storage.ts';

/** The same storage, whose lists leave folders out: what jobs write is no source of theirs. */
export function withoutFolders(storage: Storage, folders: readonly string[]): Storage {
  const isIn = (name: string) => folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
  return {
    ...storage,
    async *list(folder) {
      // Who asks for such a folder itself means it.
      const isMeant = isIn(folder);
      for await (const file of storage.list(folder)) if (isMeant || !isIn(file.name)) yield file;
    },
  };
}
