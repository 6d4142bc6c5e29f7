import type { Storage } from '../corpus/storage.ts';

/** The same storage, whose lists leave folders out: what jobs write is no source of theirs. */
export function withoutFolders(storage: Storage, folders: readonly string[]): Storage {
  const isIn = (name: string) => folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
  return {
    label: storage.label,
    async *list(folder) {
      // Who asks for such a folder itself means it.
      const isMeant = isIn(folder);
      for await (const file of storage.list(folder)) if (isMeant || !isIn(file.name)) yield file;
    },
    find: (name) => storage.find(name),
    read: (file, range) => storage.read(file, range),
    create: (name) => storage.create(name),
    createOnce: (name, bytes) => storage.createOnce(name, bytes),
    settle: (name, lastName) => storage.settle(name, lastName),
    remove: (name) => storage.remove(name),
    removeFolder: (name) => storage.removeFolder(name),
  };
}
