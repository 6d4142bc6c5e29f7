import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { exposedError, hold, refusedError } from '../../../core/kit.ts';

export interface Statement {
  readonly text: string;
  /** If undefined, the text may contain several statements, which form one transaction. */
  readonly values?: readonly (string | readonly (string | null)[])[];
}

/** First delay in milliseconds. Retries take 12.7 s: a killed server repairs files before it answers. */
const FIRST_DELAY = 100;
const TRIES = 8;

/** A database for idempotent statements, which may be retried. */
export class Database {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    // A broken connection is replaced for the next statement. The current statement fails with the error.
    this.#pool = hold(pool).on('connect', (client) => hold(client));
  }

  /**
   * Returns the rows of a statement. Retries the statement while the server restarts.
   *
   * @throws the reason of the signal, or an Error for callers; a `refusedError` if a retry would also fail
   */
  async query<Row extends QueryResultRow>(
    statement: Statement,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await this.#queryOnce<Row>(statement, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw refusedError(describeError(error), error);
        if (tries === TRIES) throw exposedError(describeError(error), error);
        await sleep(FIRST_DELAY * 2 ** (tries - 1), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #queryOnce<Row extends QueryResultRow>(
    { text, values }: Statement,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    const client = await this.#pool.connect();
    const release = once(client);
    // Closing the connection ends the statement for this client; the server may still finish the statement.
    const stop = () => release(true);
    signal.addEventListener('abort', stop);
    try {
      if (values === undefined) await client.query(text);
      return values === undefined ? [] : (await client.query<Row>(text, [...values])).rows;
    } finally {
      signal.removeEventListener('abort', stop);
      release(signal.aborted);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

function once(client: PoolClient): (isBroken: boolean) => void {
  let isReleased = false;
  return (isBroken) => {
    if (!isReleased) client.release(isBroken);
    isReleased = true;
  };
}

/** SQL states of a server that starts, stops or is full, and of transactions in conflict. */
const TRANSIENT = /^(08...|57P0[1-3]|53...|40001|40P01)$/;
/** SQL states contain a digit; system codes such as EPIPE do not. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** The SQL state of a server error; undefined for a connection error. */
function stateOf(error: unknown): string | undefined {
  const { code } = error as Failure;
  return typeof code === 'string' && SQL_STATE.test(code) ? code : undefined;
}

function isTransient(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== undefined) return TRANSIENT.test(state);
  return !(error instanceof TypeError);
}

/** Whether a text is too long for a `tsvector`. @param error has the error of the server as its cause */
export function isTooLong(error: unknown): boolean {
  const cause = (error as Error).cause ?? {};
  return stateOf(cause) === '54000' && /\btsvector\b/.test((cause as Error).message);
}

export function describeError(error: unknown): string {
  const { code, message } = error as Failure;
  const said = typeof message === 'string' && message !== '' ? message : String(code);
  const state = stateOf(error);
  if (state === undefined) return `PostgreSQL cannot be reached: ${said}; check PGVECTOR_URL`;
  if (/\bextension "vector" is not available\b/.test(said)) {
    return 'PostgreSQL has no extension pgvector: install it, or choose the option vectors: "array"';
  }
  return state.startsWith('28') ? `PostgreSQL: ${said}; check PGVECTOR_URL` : `PostgreSQL: ${said}`;
}
