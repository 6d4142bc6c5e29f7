import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr, { type IPv6 } from 'ipaddr.js';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { isTransientStatus } from '../../config/retry.ts';
import { unlessAborted } from '../../engine/abort.ts';
import { type Claim, type JobStore, NO_DOCUMENTS, type ShardResult } from '../../store/jobs/contract.ts';
import { jobAnswer } from './answers.ts';
import type { JobSpec } from './spec.ts';

const EVENTS = { done: 'job.done', failed: 'job.failed', cancelled: 'job.cancelled' } as const;

export interface Callback {
  readonly event: (typeof EVENTS)[keyof typeof EVENTS];
  /** The id of the callback. Equal for all deliveries, so that the receiver can detect repeated ones. */
  readonly id: string;
  readonly secret: string;
  /** Whether the callback may be sent to an address that is not public. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

export interface CallbackTools {
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
  /** Maximum milliseconds for the whole call. */
  readonly timeout: number;
}

const TOOLS: CallbackTools = { resolve: (host) => lookup(host, { all: true }), timeout: 10_000 };

const MAX_BYTES = 65_536;

/**
 * Posts a body once as signed JSON. Redirects are not followed. Connects to the address that was checked,
 * because a second DNS look-up might return another address.
 *
 * @throws ServiceError `callback_refused` if a retry would fail too, otherwise `callback_failed`. The
 * messages never quote the receiver's answer.
 * @throws the signal's reason once it aborts
 */
export async function callBack(
  url: string,
  body: object,
  callback: Callback,
  { resolve, timeout }: CallbackTools = TOOLS,
): Promise<void> {
  const { allowPrivate } = callback;
  const refused = (reason: string) => new ServiceError('callback_refused', { url, reason });
  const failed = (reason: string) => new ServiceError('callback_failed', { url, reason });
  const problem = checkCallbackUrl(url, allowPrivate);
  if (problem !== undefined) throw refused(problem);
  const deadline = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([callback.signal, deadline]);
  const target = new URL(url);
  let status: number;
  try {
    const addresses = await addressesOf(target, resolve, signal);
    const hidden = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address));
    if (hidden !== undefined) throw refused(notPublic(`${target.hostname} (${hidden.address})`));
    status = await post(target, JSON.stringify(body), callback, addresses, signal);
  } catch (error) {
    callback.signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    throw failed(deadline.aborted ? `no answer within ${timeout / 1000} s` : reasonFor(error));
  }
  if (status >= 200 && status < 300) return;
  const isForGood = status >= 400 && !isTransientStatus(status);
  const remark = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  throw (isForGood ? refused : failed)(`the receiver answered ${status}${remark}`);
}

/** On an abort, stops waiting: a DNS look-up itself cannot be stopped. */
function addressesOf(
  url: URL,
  resolve: CallbackTools['resolve'],
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  return unlessAborted(family === 0 ? resolve(host) : Promise.resolve([{ address: host, family }]), signal);
}

/** @returns the HTTP status of the response */
async function post(
  url: URL,
  body: string,
  callback: Callback,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<number> {
  const send = url.protocol === 'https:' ? requestTls : request;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'chunksmith',
    'x-chunksmith-event': callback.event,
    'x-chunksmith-id': callback.id,
    'x-chunksmith-signature': sign(body, callback.secret),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', headers, agent: false, lookup: fixedTo(addresses), signal };
    hold(send(url, options, resolve), reject).end(body);
  });
  await drain(response);
  return response.statusCode ?? 0;
}

/**
 * Signature: `t=<seconds since 1970>,v1=<HMAC-SHA256 of "<t>.<body>" in hexadecimal>`. The time lets
 * receivers reject old signatures.
 */
function sign(body: string, secret: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

function fixedTo(addresses: readonly LookupAddress[]): LookupFunction {
  const [first = { address: '', family: 4 }] = addresses;
  return (_host, { all }, done) => {
    if (all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** Reads a response to its end if it is short and fast. Ignores the content: only the status matters. */
async function drain(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_BYTES) break;
    }
  } catch {
    response.destroy();
  }
}

function reasonFor(error: unknown): string {
  return `the connection failed (${(error as NodeJS.ErrnoException).code ?? reasonOf(error)})`;
}

const MAX_LENGTH = 2048;

/**
 * The problem of a callback URL that the URL itself shows; undefined if there is none. The address of the
 * host is checked when the callback is sent.
 *
 * @param isPrivateAllowed whether the address may be private
 */
export function checkCallbackUrl(text: string, isPrivateAllowed: boolean): string | undefined {
  const url = text.length <= MAX_LENGTH ? URL.parse(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return `expected a URL of at most ${MAX_LENGTH} characters such as https://app.example/done`;
  }
  if (url.username !== '' || url.password !== '') return 'expected a URL without a user and password';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPrivateAllowed && !isPublic(host)) return notPublic(host);
  return undefined;
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

const notPublic = (host: string): string =>
  `${host} is not a public address; if intended, start the server with --bulk-callback-private`;

/**
 * Whether an address is on the public internet. Private, loopback, link-local, carrier-grade NAT, multicast and
 * reserved addresses are not public. For an IPv6 address with an embedded IPv4 address, the IPv4 address decides.
 *
 * @param address IPv4 or IPv6, as a name server returns it
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 ? isPublicV6(parsed) : parsed.range() === 'unicast';
}

function isPublicV6(address: IPv6): boolean {
  const range = address.range();
  if (range === 'ipv4Mapped') return isPublic(address.toIPv4Address().toString());
  // Networks without IPv4 represent IPv4 addresses by IPv6 addresses with this prefix (RFC 6052).
  const [first, second, third] = address.parts;
  if (range === 'rfc6052' && first === 0x64 && second === 0xff9b && third === 0) {
    return isPublic(address.toByteArray().slice(12).join('.'));
  }
  // IANA assigns global unicast addresses only from this range (RFC 4291).
  return range === 'unicast' && ((first ?? 0) & 0xe000) === 0x2000;
}

export interface NotifyTools {
  readonly store: Pick<JobStore, 'get'>;
  readonly secret: string;
  readonly allowPrivate: boolean;
}

/** Notifies the caller that a job has ended. Throws like `callBack`. */
export async function notifyJob(
  { jobId, spec }: Claim,
  signal: AbortSignal,
  { store, secret, allowPrivate }: NotifyTools,
): Promise<ShardResult> {
  const { callback: url } = spec as JobSpec;
  const job = await store.get(jobId);
  const { state, finished_at } = job;
  // A job that is not final was reopened. A later callback reports its next end.
  if (url === undefined || !isFinal(state)) return NO_DOCUMENTS;
  // This worker has no secret, but another worker may have one.
  if (secret === '')
    throw new ServiceError('callback_failed', { url, reason: 'BULK_CALLBACK_SECRET is not set' });
  // The id includes the time of the end, because a retried job ends more than once.
  const callback = { event: EVENTS[state], id: `${jobId}/${finished_at}`, secret, allowPrivate, signal };
  await callBack(url, jobAnswer(job), callback);
  return NO_DOCUMENTS;
}

function isFinal(state: string): state is keyof typeof EVENTS {
  return state in EVENTS;
}
