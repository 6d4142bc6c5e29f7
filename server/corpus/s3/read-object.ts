import type { Readable } from 'node:stream';
import { ServiceError } from '../../../core/errors.ts';
import type { StoredFile } from '../storage.ts';
import { type BucketClient, versionOf } from './client.ts';
import { BucketFailure, statusOf, storageFailed } from './failures.ts';

/** An object of which bytes are read. */
export interface ObjectRange {
  readonly key: string;
  readonly file: StoredFile;
  /** The bytes in [from, to). */
  readonly from: number;
  readonly to: number;
}

/** How often a body may end too early, one after another without a byte between. */
const MOST_CUTS = 4;

/** Reads bytes of an object. If a body is cut off in the middle, it is asked for from the byte that is missing. */
export async function* readObject(client: BucketClient, range: ObjectRange): AsyncGenerator<Buffer> {
  const { to } = range;
  let at = range.from;
  for (let cuts = 0; at < to; cuts++) {
    const body = await openObject(client, { ...range, from: at });
    let failure: unknown = new BucketFailure('its answer ended too early');
    try {
      for await (const piece of body as AsyncIterable<Buffer>) {
        const wanted = piece.subarray(0, to - at);
        at += wanted.length;
        cuts = 0;
        yield wanted;
        if (wanted.length < piece.length) break;
      }
    } catch (error) {
      failure = error;
    }
    if (at < to && cuts === MOST_CUTS - 1) throw storageFailed(client.label, failure);
  }
}

function openObject(client: BucketClient, { key, file, from, to }: ObjectRange): Promise<Readable> {
  return client.call(async (s3, sdk) => {
    const asked = { Range: `bytes=${from}-${to - 1}`, IfMatch: `"${file.version}"` };
    const command = new sdk.GetObjectCommand({ Bucket: client.bucket, Key: key, ...asked });
    const answer = await s3.send(command).catch((error: unknown) => {
      throw changedOr(error, file);
    });
    const body = answer.Body as Readable;
    const isOther = answer.ETag !== undefined && versionOf(answer.ETag) !== file.version;
    // Without ranges a body begins with the first byte.
    const first = Number(/^bytes (\d+)-/.exec(answer.ContentRange ?? 'bytes 0-')?.[1]);
    if (!isOther && first === from) return body;
    body.destroy();
    if (isOther) throw new ServiceError('source_changed', { source: file.name });
    throw new BucketFailure('it answers with other bytes than were asked for');
  });
}

function changedOr(error: unknown, { name }: StoredFile): unknown {
  const isChanged =
    [404, 412, 416].includes(statusOf(error) ?? 0) && (error as Error).name !== 'NoSuchBucket';
  return isChanged ? new ServiceError('source_changed', { source: name }) : error;
}
