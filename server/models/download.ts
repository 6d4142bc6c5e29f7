import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, ModelFile } from '../../core/contracts.ts';
import { exposedError } from '../../core/errors.ts';
import { codeOf, type Hub, HubRefusal, isBreak } from './hub.ts';
import { placePart, readPart, removePart } from './part.ts';
import { SilenceError } from './silence.ts';
import { type Transfer, transfer } from './transfer.ts';
import { takeTurn } from './turn.ts';

export interface DownloadCollaborators {
  readonly hub: Hub;
  readonly log: Log;
  /** How long the hub may be silent, in milliseconds. */
  readonly timeout: number;
  /** The wait before the first retry, in milliseconds; each further one is twice as long. */
  readonly backoff: number;
}

/** Puts a file of the hub into its place; `undefined` where the hub has no such file. */
export type Download = (name: string, file: ModelFile, target: string) => Promise<string | undefined>;

const MAX_RETRIES = 3;
const MAX_WAIT_MS = 30_000;
/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 5000;

/** Downloads files so that at any time one thread of one process works on a file, and the others wait. */
export function createDownload({ hub, log, timeout, backoff }: DownloadCollaborators): Download {
  async function inTurn(name: string, file: ModelFile, target: string): Promise<string | undefined> {
    for (;;) {
      const turn = await takeTurn(target);
      if (turn === undefined) return target;
      const { lost } = turn;
      const onBytes = reportProgress(name, file.name);
      const url = hub.urlOf(name, file.name);
      try {
        const path = await withRetries({ hub, url, file, target, timeout, lost, onBytes });
        if (path !== undefined) log.info({ name, file: file.name }, 'downloaded from the hub');
        return path;
      } catch (error) {
        if (!lost.aborted) throw error;
      } finally {
        await turn.end();
      }
    }
  }

  async function withRetries(one: Transfer): Promise<string | undefined> {
    const { target, lost, url } = one;
    for (let retries = 0; ; retries++) {
      try {
        await transfer(one);
        lost.throwIfAborted();
        await placePart(target);
        return target;
      } catch (error) {
        const keeps = lost.aborted || (isPassing(error) && (await readPart(target, url.href)) !== undefined);
        if (!keeps) await removePart(target);
        if (error instanceof HubRefusal && error.status === 404) return undefined;
        const wait = retries < MAX_RETRIES ? waitBefore(error, backoff * 2 ** retries) : undefined;
        if (wait === undefined) throw error;
        log.warn({ url: url.pathname, reason: reasonOf(error), milliseconds: wait }, 'trying again');
        await sleep(wait, undefined, { signal: lost });
      }
    }
  }

  function reportProgress(name: string, file: string): Transfer['onBytes'] {
    let said = performance.now();
    return (bytes, total) => {
      if (performance.now() - said < PROGRESS_MS) return;
      said = performance.now();
      log.info({ name, file, bytes, total }, 'downloading');
    };
  }

  return async (name, file, target) => {
    try {
      return await inTurn(name, file, target);
    } catch (cause) {
      const reason = reasonOf(cause);
      throw exposedError(`could not download ${file.name} of "${name}" from the hub: ${reason}`, cause);
    }
  };
}

/** Whether what has come is worth keeping after such an error. */
const isPassing = (error: unknown): boolean =>
  isBreak(error) || error instanceof SilenceError || (error instanceof HubRefusal && isBusy(error));

/** The milliseconds to wait before another try; `undefined` where that would be of no use. */
function waitBefore(error: unknown, usual: number): number | undefined {
  if (isBreak(error)) return usual;
  if (!(error instanceof HubRefusal) || !isBusy(error)) return undefined;
  return Math.min(error.retryAfter ?? usual, MAX_WAIT_MS);
}

const isBusy = ({ status }: HubRefusal): boolean => status === 429 || status >= 500;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if ('syscall' in cause && 'path' in cause) return `the models folder cannot be written (${codeOf(cause)})`;
  if (codeOf(cause) === undefined && !(cause instanceof TypeError)) return cause.message;
  return `the connection failed (${codeOf(cause) ?? cause.message}); check HF_ENDPOINT and the network`;
}
