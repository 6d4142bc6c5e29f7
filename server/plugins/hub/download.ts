import type { Log, ModelFile } from '../../../core/contracts/collaborators.ts';
import { exposedError } from '../../../core/errors.ts';
import { withRetries } from '../../config/retry.ts';
import { codeOf, type Hub, HubRefusal, isBrokenConnection } from './hub.ts';
import { isGone, takePlace } from './own-place.ts';
import { finishPartial, startPartial } from './partial-download.ts';
import { IdleTimeoutError, type Transfer, transfer } from './transfer.ts';

export interface DownloadCollaborators {
  readonly hub: Hub;
  readonly log: Log;
  /** How long the hub may be silent, in milliseconds. */
  readonly timeout: number;
  /** The delay before the first retry, in milliseconds. */
  readonly backoff: number;
}

/** One file of a model. */
interface Download {
  /** Name of the model. */
  readonly name: string;
  readonly file: ModelFile;
  /** Where the file will be on this machine. */
  readonly target: string;
}

const MAX_RETRIES = 3;
const MAX_WAIT_MS = 30_000;
/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 5000;

/**
 * Downloads a file of the hub and returns its path; `undefined` if the hub has no such file. At any time one
 * thread of one process downloads a file, and the others wait for it.
 */
export async function download(
  collaborators: DownloadCollaborators,
  one: Download,
): Promise<string | undefined> {
  try {
    return await downloadAlone(collaborators, one);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw exposedError(`could not download ${one.file.name} of "${one.name}" from the hub: ${reason}`, cause);
  }
}

async function downloadAlone(
  collaborators: DownloadCollaborators,
  { name, file, target }: Download,
): Promise<string | undefined> {
  const { hub, log, timeout } = collaborators;
  const url = hub.urlOf(name, file.name);
  for (;;) {
    const place = await takePlace(target);
    if (place === undefined) return target;
    const onBytes = reportProgress(log, name, file.name);
    try {
      const one = { hub, url, file, place: place.path, timeout, onBytes };
      if (!(await transferWithRetries(collaborators, one))) return undefined;
      await finishPartial(place.path, target);
      log.info({ name, file: file.name }, 'downloaded from the hub');
      return target;
    } catch (error) {
      if (!(await isGone(place.path))) throw error;
    } finally {
      await place.release(url.href);
    }
  }
}

/** @returns false if the hub has no such file */
async function transferWithRetries({ log, backoff }: DownloadCollaborators, one: Transfer): Promise<boolean> {
  const limits = { retries: MAX_RETRIES, firstDelay: backoff, longestDelay: MAX_WAIT_MS };
  const onRetry = (error: unknown, milliseconds: number) =>
    log.warn({ url: one.url.pathname, reason: reasonOf(error), milliseconds }, 'trying again');
  try {
    await withRetries(limits, { isPassing, retryAfter, onRetry }, () => transferOnce(one));
    return true;
  } catch (error) {
    if (error instanceof HubRefusal && error.status === 404) return false;
    throw error;
  }
}

/** What is not to resume is emptied, unless another has taken it. */
async function transferOnce(one: Transfer): Promise<void> {
  try {
    await transfer(one);
  } catch (error) {
    if (!mayResume(error) && !(await isGone(one.place))) await startPartial(one.place);
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

/** Whether the same request may succeed later. A hub that is silent is not waited for again. */
const isPassing = (error: unknown): boolean =>
  isBrokenConnection(error) || (error instanceof HubRefusal && isBusy(error));

/** Whether what has arrived is worth keeping after such an error. */
const mayResume = (error: unknown): boolean => isPassing(error) || error instanceof IdleTimeoutError;

const isBusy = ({ status }: HubRefusal): boolean => status === 429 || status >= 500;

/** A hub that asks for a longer wait is asked after the longest one all the same. */
const retryAfter = (error: unknown): number =>
  error instanceof HubRefusal ? Math.min(error.retryAfter ?? 0, MAX_WAIT_MS) : 0;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if ('syscall' in cause && 'path' in cause) return `the models folder cannot be written (${codeOf(cause)})`;
  if (codeOf(cause) === undefined && !(cause instanceof TypeError)) return cause.message;
  return `the connection failed (${codeOf(cause) ?? cause.message}); check HF_ENDPOINT and the network`;
}
