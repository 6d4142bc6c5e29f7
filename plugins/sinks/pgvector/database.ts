import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { hold } from '../../../core/hold.ts';
import type { Kit } from '../../../core/kit.ts';
import { describeError, isPassing } from './errors.ts';

type Values = readonly (string | readonly (string | null)[])[];

/** Milliseconds; the tries wait for 12.7 s together: a server that was ended hard repairs its files before it answers. */
const FIRST_DELAY = 100;
const TRIES = 8;

/** A database whose statements can all be repeated. */
export class Database {
  readonly #pool: Pool;
  readonly #kit: Pick<Kit, 'exposedError' | 'refusedError'>;

  constructor(pool: Pool, kit: Pick<Kit, 'exposedError' | 'refusedError'>) {
    // A connection that breaks is replaced at the next statement; one in use ends its statement with the error.
    this.#pool = hold(pool).on('connect', (client) => hold(client));
    this.#kit = kit;
  }

  /**
   * The rows of a statement; without values it may be several statements, which are one transaction. It is repeated while
   * the server restarts.
   *
   * @throws Error for callers, `kit.refusedError` if another try would fail in the same way, or the reason of the signal
   */
  async query<Row extends QueryResultRow>(
    text: string,
    values: Values | undefined,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await this.#queryOnce<Row>(text, values, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw this.#kit.refusedError(describeError(error), error);
        if (tries === TRIES) throw this.#kit.exposedError(describeError(error), error);
        await sleep(FIRST_DELAY * 2 ** (tries - 1), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #queryOnce<Row extends QueryResultRow>(
    text: string,
    values: Values | undefined,
    signal: AbortSignal,
  ): Promise<readonly Row[]> {
    const client = await this.#pool.connect();
    const release = once(client);
    // A connection that is closed ends its statement for this side; the server may still finish it.
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

/** Gives a connection back, or closes it, at its first call alone. */
function once(client: PoolClient): (isBroken: boolean) => void {
  let isReleased = false;
  return (isBroken) => {
    if (!isReleased) client.release(isBroken);
    isReleased = true;
  };
}
