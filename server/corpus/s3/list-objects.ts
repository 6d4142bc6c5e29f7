import type { StoredFile } from '../storage.ts';
import { type ListedObject, type ObjectPage, readPage } from './answers.ts';
import type { S3Client } from './client.ts';
import { ConnectionFailure, storageFailed } from './failures.ts';
import { isSound, type Keys } from './keys.ts';

/**
 * The objects below a folder, a page at a time. Left out are those that stand for folders, whose keys end in `/`, and
 * those that no name can stand for.
 */
export async function* listObjects(client: S3Client, keys: Keys, folder: string): AsyncGenerator<StoredFile> {
  const prefix = keys.prefixOf(folder);
  let last: Buffer | undefined;
  for await (const { key, size, version } of allObjects(client, prefix)) {
    const bytes = Buffer.from(key);
    if (last !== undefined && Buffer.compare(last, bytes) >= 0) throw outOfOrder(client);
    last = bytes;
    const rest = key.slice(prefix.length);
    if (!key.startsWith(prefix)) throw outOfOrder(client);
    if (isSound(rest) && !isHidden(rest)) yield { name: keys.nameOf(key), size, version };
  }
}

async function* allObjects(client: S3Client, prefix: string): AsyncGenerator<ListedObject> {
  const query = { 'list-type': '2', 'encoding-type': 'url', prefix };
  let next: string | undefined;
  do {
    const asked = next === undefined ? query : { ...query, 'continuation-token': next };
    const page: ObjectPage = await client.read({ method: 'GET', query: asked }, readPage);
    yield* page.objects;
    next = page.next;
  } while (next !== undefined);
}

const isHidden = (name: string): boolean => name.split('/').some((part) => part.startsWith('.'));

/** A list out of order might never end, and a job would not come to the same shards again. */
const outOfOrder = ({ label }: S3Client) =>
  storageFailed(label, new ConnectionFailure('it does not list objects in the order of their keys'));
