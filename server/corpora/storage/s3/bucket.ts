import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type {
  HeadObjectCommandOutput,
  ListObjectsV2CommandOutput as ListOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { ServiceError } from '../../../../core/errors.ts';
import { hold } from '../../../../core/hold.ts';
import { type BucketConnection, createKeys, isSound, type Keys } from '../settings.ts';
import {
  type FileWriter,
  type Storage,
  type StoredFile,
  UNREAD,
  unreadFile,
  type WrittenFile,
} from '../storage.ts';
import { BucketFailure, statusOf, storageFailed } from './failures.ts';

const TOOLS: ClientTools = { attempts: 9, silence: 30_000 };

/** A bucket as a storage. Loads the AWS SDK and sends requests only when the storage is used. */
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
    read: (file, { from, to } = { from: 0, to: file.size }) =>
      readObject(client, keys.keyOf(file.name), file, { from, to: Math.min(to, file.size) }),
    create: async (name) => new ObjectWriter(client, name, keys.keyOf(name)),
    async createOnce(name, bytes) {
      const put = { ...named(name), ...CONTENT, IfNoneMatch: '*', Body: bytes };
      // Either the object exists, or another request is creating the object now.
      const taken = [409, 412];
      const written = await client.call((s3, sdk) => unless(taken, s3.send(new sdk.PutObjectCommand(put))));
      return written !== undefined;
    },
    // Keeps the name: a bucket cannot rename an object, but would have to copy it.
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
  throw storageFailed(label, new BucketFailure(`it does not return the size and the ETag of ${name}`));
}

/**
 * Lists the objects below a folder, page by page. Leaves out folder markers, which are empty objects whose
 * keys end in `/`. Marks hidden objects, and objects whose keys cannot be names, as unread.
 */
async function* listObjects(client: BucketClient, keys: Keys, folder: string): AsyncGenerator<StoredFile> {
  const { bucket: Bucket, call, label } = client;
  const prefix = keys.prefixOf(folder);
  let last: Buffer | undefined;
  let hidden: string | undefined;
  let token: string | undefined;
  do {
    const query = { Bucket, Prefix: prefix, EncodingType: 'url', ContinuationToken: token } as const;
    const page = await call(async (s3, sdk) => readPage(await s3.send(new sdk.ListObjectsV2Command(query))));
    for (const { key, size, version } of page.objects) {
      const bytes = Buffer.from(key);
      // An unordered list might never end. Repeated planning of a job would also give different shards.
      if (!key.startsWith(prefix) || (last !== undefined && Buffer.compare(last, bytes) >= 0))
        throw storageFailed(label, new BucketFailure('it does not list objects in the order of their keys'));
      last = bytes;
      const rest = key.slice(prefix.length);
      const name = keys.nameOf(key);
      const below = hiddenIn(rest);
      if (below !== undefined) {
        if (below !== hidden && !GIT.test(below))
          yield unreadFile(name.slice(0, name.length - rest.length) + below, UNREAD.hidden);
        hidden = below;
      } else if (isSound(rest)) yield { name, size, version };
      else if (size > 0 || !isSound(rest.slice(0, -1))) yield unreadFile(name, UNREAD.key);
    }
    token = page.next;
  } while (token !== undefined);
}

/** Git's own files are not files of a source. */
const GIT = /(^|\/)\.git(ignore)?$/;

/** The key up to its first hidden name: one that begins with a dot, except `.` and `..`. */
function hiddenIn(key: string): string | undefined {
  return /^(?:[^/]*\/)*?\.(?!\.?(?:\/|$))[^/]*/.exec(key)?.[0];
}

/** @throws BucketFailure or URIError if the response is not a page of a list */
function readPage({ Contents = [], EncodingType, IsTruncated, NextContinuationToken: next }: ListOutput) {
  if (IsTruncated !== (next !== undefined)) throw new BucketFailure();
  const objects = Contents.map(({ Key, Size, ETag }) => {
    if (Key === undefined || Size === undefined || ETag === undefined) throw new BucketFailure();
    return { key: EncodingType === 'url' ? decodeKey(Key) : Key, size: Size, version: versionOf(ETag) };
  });
  return { objects, next };
}

/** Decodes a listed key. Lists encode keys as in HTML forms, because XML cannot contain all characters. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

/** Maximum consecutive responses that end early without having sent a byte. */
const MAX_CUTS = 4;

/** Reads the bytes of an object. After a truncated response, the next request begins at the missing byte. */
async function* readObject(
  client: BucketClient,
  key: string,
  file: StoredFile,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  let at = from;
  for (let cuts = 0; at < to; cuts++) {
    const body = await openObject(client, key, file, { from: at, to });
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
    if (at < to && cuts === MAX_CUTS - 1) throw storageFailed(client.label, failure);
  }
}

function openObject(
  client: BucketClient,
  key: string,
  file: StoredFile,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Readable> {
  return client.call(async (s3, sdk) => {
    const asked = { Range: `bytes=${from}-${to - 1}`, IfMatch: `"${file.version}"` };
    const command = new sdk.GetObjectCommand({ Bucket: client.bucket, Key: key, ...asked });
    const answer = await s3.send(command).catch((error: unknown) => {
      throw changedOr(error, file);
    });
    const body = answer.Body as Readable;
    const isOther = answer.ETag !== undefined && versionOf(answer.ETag) !== file.version;
    // Some services ignore `Range`. Their response begins with the first byte of the object.
    const first = Number(/^bytes (\d+)-/.exec(answer.ContentRange ?? 'bytes 0-')?.[1]);
    if (!isOther && first === from) return body;
    body.destroy();
    if (isOther) throw new ServiceError('source_changed', { source: file.name });
    throw new BucketFailure('it returned other bytes than requested');
  });
}

function changedOr(error: unknown, { name }: StoredFile): unknown {
  const isChanged =
    [404, 412, 416].includes(statusOf(error) ?? 0) && (error as Error).name !== 'NoSuchBucket';
  return isChanged ? new ServiceError('source_changed', { source: name }) : error;
}

/** Bytes per part of an upload. S3 allows 10,000 parts, so an object can have up to 83 GB. */
const PART = 8_388_608;

/**
 * Writes an object: in one request if it is small, otherwise in parts. Memory holds at most two parts, one being
 * filled and one in transit.
 */
class ObjectWriter implements FileWriter {
  readonly #client: BucketClient;
  readonly #name: string;
  readonly #key: string;
  readonly #body = hold(new PassThrough({ readableHighWaterMark: PART }));
  readonly #hash = createHash('sha256');
  readonly #sent: Promise<unknown>;
  #bytes = 0;

  constructor(client: BucketClient, name: string, key: string) {
    this.#client = client;
    this.#name = name;
    this.#key = key;
    this.#sent = this.#send();
    // Handles the rejection here, because only the next `write` or `finish` reports it.
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

  /** If parts cannot be removed now, the bucket's own rule for unfinished uploads must remove them. */
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
          throw new BucketFailure('it no longer knows the upload');
      }
    });
  }

  /** Whether the object is the result of this upload. If so, only the success response was lost. */
  #isWhole(found: HeadObjectCommandOutput | undefined): boolean {
    const parts = Math.ceil(this.#bytes / PART);
    return versionOf(found?.ETag ?? '').endsWith(`-${parts}`) && found?.ContentLength === this.#bytes;
  }
}

interface ClientTools {
  readonly attempts: number;
  /** Maximum milliseconds without a sign of life from the service. */
  readonly silence: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');

type BucketClient = ReturnType<typeof createClient>;

function createClient(connection: BucketConnection, label: string, tools: ClientTools) {
  let opened: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | undefined;
  const open = async () => {
    const sdk = await import('@aws-sdk/client-s3').catch((cause: unknown) => {
      throw new BucketFailure(MISSING, { cause });
    });
    return { sdk, client: new sdk.S3Client(settingsOf(connection, tools)) };
  };
  return {
    label,
    bucket: connection.bucket,
    /**
     * Calls the SDK, which is loaded at the first call. Retries failures that may be temporary.
     *
     * @throws ServiceError `storage_failed`, unless `ask` throws another ServiceError
     */
    async call<T>(ask: (client: S3Client, sdk: Sdk) => Promise<T>): Promise<T> {
      try {
        opened ??= open();
        const { sdk, client } = await opened;
        return await ask(client, sdk);
      } catch (error) {
        throw storageFailed(label, error);
      }
    },
  };
}

const MISSING =
  'this deployment was trimmed without support for buckets: trim it with --buckets, or run "npm install @aws-sdk/client-s3 @aws-sdk/lib-storage"';

/** Options for the SDK. All other options come from the environment, as for AWS's own programs. */
function settingsOf(connection: BucketConnection, { attempts, silence }: ClientTools) {
  const { endpoint, region, style, credentials, profile } = connection;
  return {
    maxAttempts: attempts,
    forcePathStyle: style === 'path',
    requestHandler: { connectionTimeout: silence, socketTimeout: silence },
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint, ...NO_CHECKSUMS }),
  };
}

/**
 * Avoids the checksums that AWS introduced in 2025, because some S3-compatible services do not support them.
 * The signature of a request protects the body too.
 */
const NO_CHECKSUMS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/** A content type that browsers do not display. */
const CONTENT = { ContentType: 'application/octet-stream' } as const;

/** Removes the quotation marks of an ETag. Some services omit these marks in lists or in headers. */
const versionOf = (etag: string): string => etag.replace(/^"(.*)"$/s, '$1');

async function unless<T>(statuses: readonly number[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}
