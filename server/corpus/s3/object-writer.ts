import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { hold } from '../../../core/hold.ts';
import type { FileWriter, WrittenFile } from '../storage.ts';
import { type BucketClient, CONTENT, unless, versionOf } from './client.ts';
import { BucketFailure, statusOf } from './failures.ts';

/** Bytes of a part. S3 allows 10,000 of them: an object can have 83 GB. */
const PART = 8_388_608;

/**
 * Writes an object: in one request if it is small, else in parts. At most two parts are in memory, the one that is
 * filled and the one that is on its way.
 */
export class ObjectWriter implements FileWriter {
  readonly #client: BucketClient;
  readonly #name: string;
  readonly #key: string;
  readonly #body = hold(new PassThrough({ readableHighWaterMark: PART }));
  readonly #hash = createHash('sha256');
  /** Settles once the object is there, or nothing is left of it. */
  readonly #sent: Promise<unknown>;
  #bytes = 0;

  constructor(client: BucketClient, name: string, key: string) {
    this.#client = client;
    this.#name = name;
    this.#key = key;
    this.#sent = this.#send();
    // Whoever writes more, or finishes, learns of a failure.
    this.#sent.catch(() => this.#body.destroy());
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#body.destroyed) await this.#sent;
    if (!this.#body.write(bytes)) await Promise.race([once(this.#body, 'drain'), this.#sent]);
  }

  async finish(): Promise<WrittenFile> {
    this.#body.end();
    await this.#sent;
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** What cannot be removed now is for the bucket's own rule on unfinished uploads. */
  async discard(): Promise<void> {
    this.#body.destroy(new Error('discarded'));
    await this.#sent.catch(() => undefined);
  }

  #send(): Promise<unknown> {
    return this.#client.call(async (client, sdk) => {
      const { Upload } = await import('@aws-sdk/lib-storage');
      const target = { Bucket: this.#client.bucket, Key: this.#key };
      const params = { ...target, ...CONTENT, Body: this.#body };
      const upload = new Upload({ client, params, partSize: PART, queueSize: 1 });
      try {
        await upload.done();
      } catch (error) {
        if (statusOf(error) !== 404 || (error as Error).name === 'NoSuchBucket') throw error;
        if (!this.#isWhole(await unless([404], client.send(new sdk.HeadObjectCommand(target)))))
          throw new BucketFailure('it does not know the upload any more');
      }
    });
  }

  /** Whether the object is the one of this upload: an answer that was lost leaves an upload that is over. */
  #isWhole(found: HeadObjectCommandOutput | undefined): boolean {
    const parts = Math.ceil(this.#bytes / PART);
    return versionOf(found?.ETag ?? '').endsWith(`-${parts}`) && found?.ContentLength === this.#bytes;
  }
}
