import type { Storage, StoredFile } from '../storage.ts';
import { versionOf } from './answers.ts';
import { type ClientTools, createClient, type S3Answer, type S3Client } from './client.ts';
import type { BucketConnection } from './connection.ts';
import { ConnectionFailure, storageFailed } from './failures.ts';
import { createKeys, type Keys } from './keys.ts';
import { listObjects } from './list-objects.ts';
import { CONTENT } from './multipart-upload.ts';
import { ObjectWriter } from './object-writer.ts';
import { readObject } from './read-object.ts';

export interface BucketTools extends ClientTools {
  /** Bytes of the first parts of a large object, and most of one that is sent whole. */
  readonly partBytes: number;
}

const TOOLS: BucketTools = {
  limits: { retries: 5, firstDelay: 200, longestDelay: 5000 },
  silence: 30_000,
  partBytes: 8_388_608,
};

/** There is such an object, or another request is making it. */
const TAKEN: readonly number[] = [409, 412];

/** A bucket as a storage. Nothing is sent before it is used. */
export function createBucket(connection: BucketConnection, tools: Partial<BucketTools> = {}): Storage {
  const { partBytes, ...ofClient } = { ...TOOLS, ...tools };
  const label = `s3://${connection.name}`;
  const keys = createKeys(connection, label);
  const client = createClient(connection, label, ofClient);
  return {
    label,
    list: (folder) => listObjects(client, keys, folder),
    find: (name) => find(client, keys, name),
    read: (file, range) => {
      const to = Math.min(range?.to ?? file.size, file.size);
      return readObject(client, { key: keys.keyOf(file.name), file, from: range?.from ?? 0, to });
    },
    create: async (name) => new ObjectWriter(client, { name, key: keys.keyOf(name) }, partBytes),
    async createOnce(name, bytes) {
      const headers = { ...CONTENT, 'if-none-match': '*' };
      const call = { method: 'PUT', key: keys.keyOf(name), headers, body: Buffer.from(bytes) } as const;
      return !TAKEN.includes((await client.ask(call, TAKEN)).status);
    },
    // A bucket has no names to change: the object would be copied.
    settle: async (name) => name,
    removeFolder: async () => {},
    remove: async (name) => {
      await client.ask({ method: 'DELETE', key: keys.keyOf(name) }, [404]);
    },
  };
}

async function find(client: S3Client, keys: Keys, name: string): Promise<StoredFile | undefined> {
  const answer = await client.ask({ method: 'HEAD', key: keys.keyOf(name) }, [404]);
  return answer.status === 404 ? undefined : fileOf(client, name, answer);
}

function fileOf({ label }: S3Client, name: string, { headers }: S3Answer): StoredFile {
  const { etag, 'content-length': size } = headers;
  if (etag !== undefined && size !== undefined) return { name, size: Number(size), version: versionOf(etag) };
  throw storageFailed(label, new ConnectionFailure(`it does not say the size and the ETag of ${name}`));
}
