import { createHash } from 'node:crypto';
import type { FileWriter, WrittenFile } from '../storage.ts';
import type { S3Client } from './client.ts';
import { CONTENT, MultipartUpload } from './multipart-upload.ts';

/** S3 allows 10,000 parts. After each thousand they grow, so that an object can have some 440 GB. */
const PARTS_OF_A_SIZE = 1000;

/**
 * Writes an object: in one request if it is small, else in parts. At most two parts are in memory, the one that is
 * filled and the one that is on its way.
 */
export class ObjectWriter implements FileWriter {
  readonly #client: S3Client;
  readonly #name: string;
  readonly #key: string;
  readonly #partBytes: number;
  readonly #hash = createHash('sha256');
  #upload: MultipartUpload | undefined;
  #part: Buffer;
  #filled = 0;
  #bytes = 0;
  #isFinished = false;

  /** @param partBytes of the first parts; S3 wants 5 MB at least */
  constructor(client: S3Client, names: { readonly name: string; readonly key: string }, partBytes: number) {
    this.#client = client;
    this.#name = names.name;
    this.#key = names.key;
    this.#partBytes = partBytes;
    this.#part = Buffer.allocUnsafe(partBytes);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.byteLength;
    for (let at = 0; at < bytes.byteLength; ) {
      if (this.#filled === this.#part.length) await this.#sendPart();
      const some = bytes.subarray(at, at + this.#part.length - this.#filled);
      this.#part.set(some, this.#filled);
      this.#filled += some.byteLength;
      at += some.byteLength;
    }
  }

  async finish(): Promise<WrittenFile> {
    const body = this.#part.subarray(0, this.#filled);
    if (this.#upload === undefined) {
      await this.#client.ask({ method: 'PUT', key: this.#key, headers: CONTENT, body });
    } else {
      await this.#upload.add(body);
      await this.#upload.finish();
    }
    this.#isFinished = true;
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async discard(): Promise<void> {
    if (this.#isFinished) return;
    // What cannot be removed now is for the bucket's own rule on unfinished uploads.
    await this.#upload?.abort().catch(() => undefined);
  }

  async #sendPart(): Promise<void> {
    this.#upload ??= new MultipartUpload(this.#client, this.#key);
    await this.#upload.add(this.#part);
    this.#part = Buffer.allocUnsafe(this.#partBytes * (1 + Math.floor(this.#upload.parts / PARTS_OF_A_SIZE)));
    this.#filled = 0;
  }
}
