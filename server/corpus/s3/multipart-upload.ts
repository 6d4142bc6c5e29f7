import { readUploadId, versionOf } from './answers.ts';
import type { S3Answer, S3Client } from './client.ts';
import { ConnectionFailure, storageFailed } from './failures.ts';

/**
 * An object that is sent in parts, one after another: one is on its way while the next one is filled. Only when it is
 * finished is there an object.
 */
export class MultipartUpload {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #stop = new AbortController();
  readonly #etags: string[] = [];
  #id: Promise<string> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #bytes = 0;

  constructor(client: S3Client, key: string) {
    this.#client = client;
    this.#key = key;
  }

  get parts(): number {
    return this.#etags.length;
  }

  /** Resolves once the part before it has arrived; from then on its bytes must not change. */
  async add(part: Uint8Array): Promise<void> {
    await this.#sending;
    this.#sending = this.#send(part);
    // Whoever adds the next part, or finishes, learns of a failure.
    this.#sending.catch(() => undefined);
  }

  async finish(): Promise<void> {
    await this.#sending;
    const [client, key, uploadId] = [this.#client, this.#key, await this.#begin()];
    const parts = this.#etags.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    );
    const xml = `<CompleteMultipartUpload xmlns="${NAMESPACE}">${parts.join('')}</CompleteMultipartUpload>`;
    const call = { method: 'POST', key, query: { uploadId }, body: Buffer.from(xml) } as const;
    const { status } = await client.ask(call, [404]);
    if (status === 404 && !this.#isWhole(await client.ask({ method: 'HEAD', key }, [404]))) {
      throw storageFailed(client.label, new ConnectionFailure('it does not know the upload any more'));
    }
  }

  /** Gives back what has arrived. A part that is on its way could arrive afterwards, and is waited for. */
  async abort(): Promise<void> {
    this.#stop.abort();
    await this.#sending.catch(() => undefined);
    const uploadId = await this.#id?.catch(() => undefined);
    if (uploadId === undefined) return;
    await this.#client.ask({ method: 'DELETE', key: this.#key, query: { uploadId } }, [404]);
  }

  #begin(): Promise<string> {
    const call = { method: 'POST', key: this.#key, query: { uploads: '' }, headers: CONTENT } as const;
    this.#id ??= this.#client.read(call, readUploadId);
    return this.#id;
  }

  async #send(part: Uint8Array): Promise<void> {
    const uploadId = await this.#begin();
    const query = { partNumber: String(this.#etags.length + 1), uploadId };
    const call = { method: 'PUT', key: this.#key, query, body: part, signal: this.#stop.signal } as const;
    const { headers } = await this.#client.ask(call);
    if (headers.etag === undefined) {
      throw storageFailed(this.#client.label, new ConnectionFailure('it gives a part no ETag'));
    }
    this.#etags.push(headers.etag);
    this.#bytes += part.byteLength;
  }

  /** Whether the object is the one of this upload: an answer that was lost leaves an upload that is over. */
  #isWhole({ status, headers }: S3Answer): boolean {
    const isOfParts = versionOf(headers.etag ?? '').endsWith(`-${this.#etags.length}`);
    return status === 200 && isOfParts && Number(headers['content-length']) === this.#bytes;
  }
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** What is written is of no type that browsers would show. */
export const CONTENT = { 'content-type': 'application/octet-stream' } as const;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
