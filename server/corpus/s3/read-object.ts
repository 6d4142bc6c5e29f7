import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../core/errors.ts';
import type { StoredFile } from '../storage.ts';
import { readError, versionOf } from './answers.ts';
import { readText, type S3Client } from './client.ts';
import { ConnectionFailure, S3Failure } from './failures.ts';

/** An object of which bytes are read. */
export interface ObjectRange {
  readonly key: string;
  readonly file: StoredFile;
  /** The bytes in [from, to). */
  readonly from: number;
  readonly to: number;
}

/** A body that is being read. */
interface Open {
  readonly response: IncomingMessage;
  readonly pieces: AsyncIterator<Buffer>;
}

const CHANGED = [404, 412, 416];

/** Reads bytes of an object. If a body is cut off in the middle, it is asked for from the byte that is missing. */
export async function* readObject(client: S3Client, range: ObjectRange): AsyncGenerator<Buffer> {
  let at = range.from;
  let open: Open | undefined;
  const next = async (): Promise<Buffer | undefined> => {
    open ??= await openObject(client, { ...range, from: at });
    try {
      const { value, done } = await open.pieces.next();
      if (done !== true) return value;
    } catch (error) {
      open = undefined;
      throw error;
    }
    open = undefined;
    throw new ConnectionFailure('its answer ended too early');
  };
  try {
    while (at < range.to) {
      const piece = (await client.retry(next))?.subarray(0, range.to - at);
      if (piece === undefined) continue;
      at += piece.length;
      yield piece;
    }
  } finally {
    close(open, at === range.to);
  }
}

/** A body that was read whole is left to end, so that its connection serves the next request. */
function close(open: Open | undefined, isWhole: boolean): void {
  const ended = isWhole ? open?.pieces.next().catch(() => undefined) : undefined;
  void Promise.resolve(ended).then(() => open?.response.destroy());
}

async function openObject(client: S3Client, { key, file, from, to }: ObjectRange): Promise<Open> {
  const headers = { range: `bytes=${from}-${to - 1}`, 'if-match': `"${file.version}"` };
  const response = await client.open({ method: 'GET', key, headers }, CHANGED);
  const { statusCode = 0, headers: answered } = response;
  if (CHANGED.includes(statusCode)) throw await changed(response, file);
  const isOther = answered.etag !== undefined && versionOf(answered.etag) !== file.version;
  if (!isOther && isFrom(response, from)) return { response, pieces: response[Symbol.asyncIterator]() };
  response.destroy();
  if (isOther) throw new ServiceError('source_changed', { source: file.name });
  const reason = 'it answers with other bytes than were asked for';
  throw new ServiceError('storage_failed', { storage: client.label, reason });
}

/** Whether the body begins with this byte; without ranges it does with the first. */
function isFrom({ statusCode, headers }: IncomingMessage, from: number): boolean {
  return statusCode === 206 ? headers['content-range']?.startsWith(`bytes ${from}-`) === true : from === 0;
}

async function changed(response: IncomingMessage, { name }: StoredFile): Promise<Error> {
  const { code, message } = readError(await readText(response)) ?? { code: '', message: '' };
  if (code === 'NoSuchBucket') return new S3Failure(404, code, message);
  return new ServiceError('source_changed', { source: name });
}
