import type { HeadObjectCommandOutput, ListObjectsV2CommandOutput as ListOutput } from '@aws-sdk/client-s3';
import type { Storage, StoredFile } from '../storage.ts';
import { type BucketClient, type ClientTools, CONTENT, createClient, unless, versionOf } from './client.ts';
import type { BucketConnection } from './connection.ts';
import { BucketFailure, storageFailed } from './failures.ts';
import { createKeys, isSound, type Keys } from './keys.ts';
import { ObjectWriter } from './object-writer.ts';
import { readObject } from './read-object.ts';

const TOOLS: ClientTools = { attempts: 9, silence: 30_000 };

/** A bucket as a storage. Nothing is loaded and nothing is sent before it is used. */
export function createBucket(connection: BucketConnection, tools: Partial<ClientTools> = {}): Storage {
  const label = `s3://${connection.name}`;
  const keys = createKeys(connection, label);
  const client = createClient(connection, label, { ...TOOLS, ...tools });
  const named = (name: string) => ({ Bucket: client.bucket, Key: keys.keyOf(name) });
  return {
    label,
    list: (folder) => listObjects(client, keys, folder),
    async find(name) {
      const found = await client.call((s3, sdk) =>
        unless([404], s3.send(new sdk.HeadObjectCommand(named(name)))),
      );
      return found && fileOf(client, name, found);
    },
    read: (file, range) => {
      const to = Math.min(range?.to ?? file.size, file.size);
      return readObject(client, { key: keys.keyOf(file.name), file, from: range?.from ?? 0, to });
    },
    create: async (name) => new ObjectWriter(client, name, keys.keyOf(name)),
    async createOnce(name, bytes) {
      const put = { ...named(name), ...CONTENT, IfNoneMatch: '*', Body: bytes };
      // There is such an object, or another request is making it.
      const taken = [409, 412];
      const written = await client.call((s3, sdk) => unless(taken, s3.send(new sdk.PutObjectCommand(put))));
      return written !== undefined;
    },
    // A bucket has no names to change: the object would be copied.
    settle: async (name) => name,
    removeFolder: async () => {},
    async remove(name) {
      await client.call((s3, sdk) => unless([404], s3.send(new sdk.DeleteObjectCommand(named(name)))));
    },
  };
}

function fileOf(
  { label }: BucketClient,
  name: string,
  { ETag, ContentLength }: HeadObjectCommandOutput,
): StoredFile {
  if (ETag !== undefined && ContentLength !== undefined)
    return { name, size: ContentLength, version: versionOf(ETag) };
  throw storageFailed(label, new BucketFailure(`it does not say the size and the ETag of ${name}`));
}

/**
 * The objects below a folder, a page at a time. Left out are those that stand for folders, whose keys end in `/`, and
 * those that no name can stand for.
 */
async function* listObjects(client: BucketClient, keys: Keys, folder: string): AsyncGenerator<StoredFile> {
  const prefix = keys.prefixOf(folder);
  let last: Buffer | undefined;
  for await (const { key, size, version } of allObjects(client, prefix)) {
    const bytes = Buffer.from(key);
    // A list out of order might never end, and a job would not come to the same shards again.
    if (!key.startsWith(prefix) || (last !== undefined && Buffer.compare(last, bytes) >= 0))
      throw storageFailed(
        client.label,
        new BucketFailure('it does not list objects in the order of their keys'),
      );
    last = bytes;
    const rest = key.slice(prefix.length);
    const isHidden = rest.split('/').some((part) => part.startsWith('.'));
    if (isSound(rest) && !isHidden) yield { name: keys.nameOf(key), size, version };
  }
}

async function* allObjects({ call, bucket }: BucketClient, prefix: string): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const query = { Bucket: bucket, Prefix: prefix, EncodingType: 'url', ContinuationToken: token } as const;
    const page = await call(async (s3, sdk) => readPage(await s3.send(new sdk.ListObjectsV2Command(query))));
    yield* page.objects;
    token = page.next;
  } while (token !== undefined);
}

interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly version: string;
}

/** @throws BucketFailure or URIError if it is no page of a list */
function readPage({ Contents = [], EncodingType, IsTruncated, NextContinuationToken: next }: ListOutput) {
  if (IsTruncated !== (next !== undefined)) throw new BucketFailure();
  const objects = Contents.map(({ Key, Size, ETag }): ListedObject => {
    if (Key === undefined || Size === undefined || ETag === undefined) throw new BucketFailure();
    return { key: EncodingType === 'url' ? decodeKey(Key) : Key, size: Size, version: versionOf(ETag) };
  });
  return { objects, next };
}

/** As in forms, a space is a plus sign; XML could not have all keys as they are. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));
