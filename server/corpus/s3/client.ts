import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type RetryLimits, retryAfterOf, withRetries } from '../../retry.ts';
import { readError } from './answers.ts';
import type { BucketConnection } from './connection.ts';
import { ConnectionFailure, isPassing, retryAfter, S3Failure, storageFailed } from './failures.ts';
import { createSend, type S3Call, type SendTools } from './send.ts';

export interface ClientTools extends SendTools {
  readonly limits: RetryLimits;
}

/** An answer that was read whole. */
export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a call may come to besides success: statuses that its caller has an answer to. */
type Expected = readonly number[];

export interface S3Client {
  readonly label: string;
  /** Sends a call, again while its failures may pass. @throws ServiceError `storage_failed` */
  ask(call: S3Call, expected?: Expected): Promise<S3Answer>;
  /** As `ask`, for an answer that is XML. @param read throws ConnectionFailure if the answer is of no use */
  read<T>(call: S3Call, read: (xml: string) => T): Promise<T>;
  /** Sends a call once; the body is the caller's to read. @throws S3Failure, or what the connection throws */
  open(call: S3Call, expected?: Expected): Promise<IncomingMessage>;
  /** Repeats work while its failures may pass. @throws ServiceError `storage_failed` */
  retry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createClient(connection: BucketConnection, label: string, tools: ClientTools): S3Client {
  const send = createSend(connection, tools);
  const retry = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const rules = { isPassing, retryAfter, ...(signal !== undefined && { signal }) };
    return withRetries(tools.limits, rules, work).catch((error: unknown) => {
      throw storageFailed(label, error);
    });
  };
  const open: S3Client['open'] = async (call, expected = []) => {
    const response = await send(call);
    const status = statusOf(response);
    if (isSuccess(status) || expected.includes(status)) return response;
    throw failureOf(response, await readText(response));
  };
  const askOnce = async (call: S3Call, expected?: Expected): Promise<S3Answer> => {
    const response = await open(call, expected);
    const [status, body] = [statusOf(response), await readText(response)];
    if (isSuccess(status) && readError(body) !== undefined) throw failureOf(response, body);
    return { status, headers: response.headers, body };
  };
  const ask: S3Client['ask'] = (call, expected) => retry(() => askOnce(call, expected), call.signal);
  const read: S3Client['read'] = (call, parse) =>
    retry(async () => parse((await askOnce(call)).body), call.signal);
  return { label, ask, read, open, retry };
}

const statusOf = ({ statusCode = 0 }: IncomingMessage): number => statusCode;
const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Of an error that came with status 200, because the service began to answer before it was done, that is no matter. */
function failureOf(response: IncomingMessage, body: string): S3Failure {
  const { code = '', message = '' } = readError(body) ?? {};
  const status = statusOf(response);
  const asked = retryAfterOf(new Headers({ 'retry-after': response.headers['retry-after'] ?? '' }));
  return new S3Failure(isSuccess(status) ? 500 : status, code, message, asked);
}

/** A page of a list has at most 1,000 keys, each of at most 1,024 bytes that may take three each. */
const MOST_BYTES = 8_388_608;

/** Reads a body of XML. */
export async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new ConnectionFailure(`its answer is longer than ${MOST_BYTES} bytes`);
  }
  return Buffer.concat(parts).toString();
}
