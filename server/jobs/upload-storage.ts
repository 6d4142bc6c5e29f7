import { ServiceError } from '../../core/errors.ts';
import type { Storage, StoredFile } from '../corpus/storage.ts';

/** Also what errors say of its lines. */
const NAME = 'source.documents';
const PIECE = 1_048_576;

/** The name of the one file of an upload. */
export const UPLOAD: { readonly path: string } = { path: NAME };

/** The documents that came with the request for a job, as a storage with one file. Nothing can be written. */
export function uploadStorage(lines: string): Storage {
  const bytes = Buffer.from(lines);
  const file: StoredFile = { name: NAME, size: bytes.length, version: String(bytes.length) };
  const refuse = async (): Promise<never> => {
    throw new ServiceError('storage_failed', { storage: label, reason: 'nothing can be written there' });
  };
  return {
    label,
    async *list(folder) {
      if (folder === '' || folder === NAME) yield file;
    },
    find: async (name) => (name === NAME ? file : undefined),
    async *read(_file, { from, to } = { from: 0, to: bytes.length }) {
      for (let at = from; at < to; at += PIECE) yield bytes.subarray(at, Math.min(at + PIECE, to));
    },
    create: refuse,
    createOnce: refuse,
    settle: refuse,
    remove: refuse,
    removeFolder: refuse,
  };
}

const label = 'the documents of the request';
