import type { Log, ModelFile } from '../../../core/contracts/collaborators.ts';
import { exposedError } from '../../../core/errors.ts';
import { codeOf, isBrokenConnection, isTransientStatus, withRetries } from '../../config/retry.ts';
import { claimPath, isGone } from './claimed-path.ts';
import { type Hub, type HubAnswer, HubRefusal } from './hub.ts';
import {
  appendToPartial,
  findPartial,
  finishPartial,
  isStrongEtag,
  type Origin,
  type PartialDownload,
  partialPath,
  sha256OfPartial,
  startPartial,
  tooLarge,
} from './partial-download.ts';

interface Download {
  readonly hub: Hub;
  readonly log: Log;
  /** Maximum milliseconds without bytes from the hub. */
  readonly timeout: number;
  /** Milliseconds before the first retry. */
  readonly backoff: number;
  readonly name: string;
  readonly file: ModelFile;
  readonly target: string;
}

interface Transfer extends Download {
  readonly url: URL;
  readonly path: string;
  readonly onBytes: (bytes: number, total: number | undefined) => void;
}

interface FileAnswer extends HubAnswer {
  /** Offset in the file at which the answer starts. */
  readonly from: number;
  /** Length of the whole file in bytes; undefined if the hub does not report it. */
  readonly total: number | undefined;
}

/**
 * Fetches the missing part of a file without retries, and checks the whole file. Fails if no bytes arrive for
 * `timeout` milliseconds. The total time is not limited.
 */
async function transfer(one: Transfer): Promise<void> {
  const { path, file, timeout } = one;
  const idle = new AbortController();
  const timer = setTimeout(() => {
    idle.abort(new IdleTimeoutError(`it was silent for longer than ${timeout / 1000} s`));
  }, timeout);
  try {
    const { response, from, total, sha256 } = await askForRest(one, idle.signal);
    const { body } = response;
    if (body === null || response.status !== (from === 0 ? 200 : 206)) throw await refusal(response);
    if (total !== undefined && total > file.maxBytes) throw await refusal(response, tooLarge(file.maxBytes));
    if (from === 0) await startPartial(path, originOf(one.url, response));
    const onBytes = (now: number) => {
      timer.refresh();
      one.onBytes(now, total);
    };
    const bytes = await appendToPartial(path, { from, body, maxBytes: file.maxBytes, onBytes });
    clearTimeout(timer);
    if (total !== undefined && total !== bytes) throw new Error('it is not as long as announced');
    await check(path, file, sha256);
  } catch (error) {
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

async function askForRest({ hub, url, path }: Transfer, signal: AbortSignal): Promise<FileAnswer> {
  const partial = await findPartial(path, url.href);
  if (partial !== undefined) {
    const range = { range: `bytes=${partial.bytes}-`, 'if-range': partial.etag };
    const answer = await hub.ask(url, range, signal);
    const { status } = answer.response;
    if (status === 206 && isRestOf(partial, answer.response))
      return { ...answer, from: partial.bytes, total: rangeOf(answer.response)?.total };
    if (status !== 206 && status !== 416) return whole(answer);
    await answer.response.body?.cancel();
    await startPartial(path);
  }
  return whole(await hub.ask(url, {}, signal));
}

function whole(answer: HubAnswer): FileAnswer {
  const { headers } = answer.response;
  const length = isEncoded(headers) ? null : headers.get('content-length');
  return { ...answer, from: 0, total: length === null ? undefined : Number(length) };
}

function isRestOf(partial: PartialDownload, response: Response): boolean {
  const range = rangeOf(response);
  const etag = response.headers.get('etag') ?? partial.etag;
  return range?.from === partial.bytes && etag === partial.etag && !isEncoded(response.headers);
}

/** The byte range of an answer; undefined if the range does not extend to the end of the file. */
function rangeOf({ headers }: Response): { from: number; total: number } | undefined {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return Number(to) + 1 === Number(total) ? { from: Number(from), total: Number(total) } : undefined;
}

/** Whether a body is encoded. The length and the byte positions of an encoded body differ from the file's. */
const isEncoded = (headers: Headers): boolean =>
  !['', 'identity'].includes(headers.get('content-encoding') ?? '');

function originOf(url: URL, { headers }: Response): Origin | undefined {
  const etag = headers.get('etag');
  return isStrongEtag(etag) && !isEncoded(headers) ? { url: url.href, etag } : undefined;
}

/** Drops the body of an unusable answer, and returns the error to throw; default a `HubRefusal`. */
async function refusal(response: Response, error?: Error): Promise<Error> {
  await response.body?.cancel();
  return error ?? new HubRefusal(response);
}

async function check(path: string, file: ModelFile, sha256: string | undefined): Promise<void> {
  if (sha256 !== undefined && (await sha256OfPartial(path)) !== sha256)
    throw new Error('its SHA-256 differs from the one that the hub announced');
  await file.check?.(partialPath(path));
}

class IdleTimeoutError extends Error {}

const MAX_RETRIES = 3;
const MAX_WAIT_MS = 30_000;
const PROGRESS_MS = 5000;

/**
 * Downloads a file from the hub, and returns the local path; `undefined` if the hub does not have the file.
 * At any time, only one thread of all processes downloads a file; other threads wait.
 */
export async function download(one: Download): Promise<string | undefined> {
  try {
    return await downloadAlone(one);
  } catch (cause) {
    if (cause instanceof HubRefusal && cause.status === 404) return undefined;
    const reason = reasonOf(cause);
    throw exposedError(`could not download ${one.file.name} of "${one.name}" from the hub: ${reason}`, cause);
  }
}

async function downloadAlone(one: Download): Promise<string> {
  const { hub, log, name, file, target } = one;
  const url = hub.urlOf(name, file.name);
  for (;;) {
    const claim = await claimPath(target);
    if (claim === undefined) return target;
    const onBytes = reportProgress(log, name, file.name);
    try {
      await transferWithRetries({ ...one, url, path: claim.path, onBytes });
      await finishPartial(claim.path, target);
      log.info({ name, file: file.name }, 'downloaded from the hub');
      return target;
    } catch (error) {
      if (!(await isGone(claim.path))) throw error;
    } finally {
      await claim.release(url.href);
    }
  }
}

function transferWithRetries(one: Transfer): Promise<void> {
  const limits = { retries: MAX_RETRIES, firstDelay: one.backoff, maxDelay: MAX_WAIT_MS };
  const onRetry = (error: unknown, milliseconds: number) =>
    one.log.warn({ url: one.url.pathname, reason: reasonOf(error), milliseconds }, 'retrying');
  return withRetries(limits, { isTransient, retryAfter, onRetry }, () => transferOnce(one));
}

/** Transfers without retries. If this fails and cannot resume, empties the partial download if still ours. */
async function transferOnce(one: Transfer): Promise<void> {
  try {
    await transfer(one);
  } catch (error) {
    if (!mayResume(error) && !(await isGone(one.path))) await startPartial(one.path);
    throw error;
  }
}

function reportProgress(log: Log, name: string, file: string): Transfer['onBytes'] {
  let reported = performance.now();
  return (bytes, total) => {
    if (performance.now() - reported < PROGRESS_MS) return;
    reported = performance.now();
    log.info({ name, file, bytes, total }, 'downloading');
  };
}

/** Whether a retry may succeed. After a timeout, the hub is not retried. */
const isTransient = (error: unknown): boolean =>
  isBrokenConnection(error) || (error instanceof HubRefusal && isTransientStatus(error.status));

const mayResume = (error: unknown): boolean => isTransient(error) || error instanceof IdleTimeoutError;

/** Milliseconds that the hub asks to wait, at most `MAX_WAIT_MS`: a longer wait would prevent the retry. */
const retryAfter = (error: unknown): number =>
  error instanceof HubRefusal ? Math.min(error.retryAfter ?? 0, MAX_WAIT_MS) : 0;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if ('syscall' in cause && 'path' in cause) return `the models folder cannot be written (${codeOf(cause)})`;
  if (codeOf(cause) === undefined && !(cause instanceof TypeError)) return cause.message;
  return `the connection failed (${codeOf(cause) ?? cause.message}); check HF_ENDPOINT and the network`;
}
