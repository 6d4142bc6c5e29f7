import { reasonOf, ServiceError } from '../../core/errors.ts';
import { NO_FOLDER } from '../config/folders.ts';
import { type RetryLimits, withRetries } from '../config/retry.ts';

/** The database cannot be opened. The message gives problem and remedy in one line, for the console. */
export class StoreOpenError extends Error {}

export function unavailable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('store_unavailable', { reason, seconds: 1 }, cause);
}

const LOCKED = 'another process keeps it locked; try again, or end that process';
const FULL = 'the disk is full; free some space';
const READ_ONLY = 'it cannot be written to; give the user of the server write access';
const DAMAGED = 'its file is damaged; restore it from a backup, or move it away to start with an empty one';
const UNREACHABLE = 'the database does not answer; check that it runs and can be reached';
const FILE_INSTEAD = 'the data folder is a file; choose another folder with --data-dir';
const FILE_IN_PATH = 'a part of its path is a file; choose another folder with --data-dir';
const UNMADE = 'the data folder cannot be created there; choose another folder with --data-dir';
/** PostgreSQL's code for a database that does not exist. */
export const NO_DATABASE = '3D000';
const REFUSED = 'the database refuses the user or the password; correct DATABASE_URL';

/**
 * Meanings of error codes of the databases and of the system, by prefix. The ORM has classes for few of these
 * errors, and for no error while it connects, sets pragmas or migrates.
 */
const MEANINGS: readonly (readonly [code: string, reason: string])[] = [
  ['SQLITE_BUSY', LOCKED],
  ['SQLITE_LOCKED', LOCKED],
  ['SQLITE_PROTOCOL', LOCKED],
  ['SQLITE_FULL', FULL],
  ['SQLITE_IOERR', 'the disk fails to read or write; check that it is healthy and not full'],
  ['SQLITE_READONLY', READ_ONLY],
  ['SQLITE_PERM', READ_ONLY],
  [
    'SQLITE_CANTOPEN',
    'its file cannot be opened; check that the server may read and write it and its folder, choose another one with --data-dir, or keep nothing with --store memory',
  ],
  ['SQLITE_CORRUPT', DAMAGED],
  ['SQLITE_NOTADB', 'its file is not an SQLite database; move it away, or restore it from a backup'],
  ['55P03', LOCKED],
  ['25006', 'the database is read-only; connect to its primary server'],
  ['53100', FULL],
  ['53300', 'the database accepts no more connections; raise its max_connections, or run fewer servers'],
  ['28', REFUSED],
  ['42501', 'the user of the database lacks permission; grant it the rights to create and change tables'],
  [NO_DATABASE, 'the database does not exist; create it, or correct DATABASE_URL'],
  ['22P05', 'the database is not encoded in UTF-8; create it with the encoding UTF8'],
  ['08', UNREACHABLE],
  ['57P0', UNREACHABLE],
  ['57014', 'the database takes too long to answer'],
  ['ECONN', UNREACHABLE],
  ['EPIPE', UNREACHABLE],
  ['ETIMEDOUT', UNREACHABLE],
  ['EHOST', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['ENOTFOUND', 'the host of the database is unknown; correct DATABASE_URL'],
  ['EAI_AGAIN', 'the host of the database cannot be resolved now; check the network'],
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EROFS', READ_ONLY],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EEXIST', FILE_INSTEAD],
  ['ENOTDIR', FILE_IN_PATH],
  [NO_FOLDER, UNMADE],
];

export function isOfFolder(reason: string): boolean {
  return [READ_ONLY, FILE_INSTEAD, FILE_IN_PATH, UNMADE].includes(reason);
}

export function hasCode(error: unknown, code: string): boolean {
  return [...withCauses(error)].some((one) => (one as { code?: unknown }).code === code);
}

const LOST_CONNECTION =
  /connection (terminated|ended)|timeout expired|timeout exceeded|query read timeout|not queryable/i;

/** Names of the ORM's errors. Importing their classes would load the ORM before the database is opened. */
const LOCKS: readonly unknown[] = ['LockWaitTimeoutException', 'DeadlockException'];

/** Why the database cannot be used, without paths and keys; undefined if the error has another reason. */
export function reasonOfFailure(error: unknown): string | undefined {
  for (const one of withCauses(error)) {
    if (LOCKS.includes((one as { name?: unknown }).name)) return LOCKED;
    const code = String((one as { code?: unknown }).code ?? '');
    const meaning = MEANINGS.find(([start]) => code !== '' && code.startsWith(start));
    if (meaning !== undefined) return meaning[1];
    if (one instanceof Error && LOST_CONNECTION.test(one.message)) return UNREACHABLE;
  }
  return undefined;
}

/** Whether a statement failed because of locks. It then had no effect, so a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return reasonOfFailure(error) === LOCKED;
}

/** Whether a retry may succeed soon: other connections hold a lock, or the database is restarting. */
export function mayPass(error: unknown): boolean {
  const reason = reasonOfFailure(error);
  return reason === LOCKED || reason === UNREACHABLE;
}

/** Converts an error of the database to `store_unavailable`. Other errors stay unchanged. */
function asStoreUnavailable(error: unknown): unknown {
  const reason = reasonOfFailure(error);
  return reason === undefined ? error : unavailable(reason, withoutStatement(error));
}

/** The database's own message for the log. The ORM adds the statement and its values, which are removed. */
function withoutStatement(error: unknown): Error {
  const message = reasonOf(error).split(' - ').at(-1) as string;
  return Object.assign(new Error(message.slice(0, 300)), { code: (error as { code?: unknown }).code });
}

function* withCauses(error: unknown): Generator<object> {
  const seen = new Set<object>();
  const rest: unknown[] = [error];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    yield next;
    const { cause, previous, errors } = next as { cause?: unknown; previous?: unknown; errors?: unknown };
    rest.push(...[cause, previous, ...(Array.isArray(errors) ? errors : [])].filter((one) => one != null));
  }
}

const RETRIES: RetryLimits = { firstDelay: 4, maxDelay: 100, deadline: 5000 };
/** Milliseconds after which a caller gets an error if the database has not answered. */
const MAX_WAITING = 30_000;
/** Milliseconds after which an unfinished call means that the store is stuck. */
const STUCK_AFTER = 60_000;

export type Calls = ReturnType<typeof createCalls>;

/** Tracks the unfinished calls of a database. @param now milliseconds of a monotonic clock */
export function createCalls(now: () => number = () => performance.now(), maxWaiting = MAX_WAITING) {
  const begun = new Set<{ readonly at: number }>();
  return {
    /**
     * Makes a call, retrying temporary failures.
     *
     * @throws ServiceError `store_unavailable` if the database cannot be used, or does not answer
     */
    async make<T>(isTransient: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
      const call = { at: now() };
      begun.add(call);
      const result = withRetries(RETRIES, { isTransient }, work).finally(() => begun.delete(call));
      const late = Promise.withResolvers<never>();
      const giveUp = () => late.reject(unavailable('it has not answered in time'));
      const timer = setTimeout(giveUp, maxWaiting).unref();
      try {
        return await Promise.race([result, late.promise]);
      } catch (error) {
        throw error instanceof ServiceError ? error : asStoreUnavailable(error);
      } finally {
        clearTimeout(timer);
      }
    },
    areStuck(): boolean {
      const [oldest] = begun;
      return oldest !== undefined && now() - oldest.at > STUCK_AFTER;
    },
  };
}
