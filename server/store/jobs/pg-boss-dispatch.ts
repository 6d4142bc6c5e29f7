import type { JobAttempt, JobInsert, PgBoss } from 'pg-boss';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf } from '../../../core/errors.ts';
import type { Claim, ShardKind } from './contract.ts';
import { rowsOf, type ShardTable } from './dialect.ts';
import type { Dispatch, OpenShard } from './dispatch.ts';
import { type Connection, monitorOf, QUEUE, startPgBoss } from './start-pg-boss.ts';
import { dueCondition, OPEN, takeShard } from './take.ts';

/** What a ticket says: this shard may run. */
interface Ticket {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
}

/** Tickets that are made again, or taken back, at once. */
const BATCH = 1000;
const SWEEP = 100;
/**
 * pg-boss hands out tickets for shards. It is asked by `fetch`, `touch` and `complete`: its `work()` and its LISTEN
 * pause for up to 30 s between single tickets. A ticket has the key of its shard, so that a shard has one at most.
 */
export function createPgBossDispatch(table: ShardTable, connection: Connection, log: Log): Dispatch {
  return new PgBossDispatch(table, connection, log);
}

class PgBossDispatch implements Dispatch {
  readonly #table: ShardTable;
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #due: string;
  /** Of the claims of this process, by the names of their attempts. */
  readonly #tickets = new Map<string, JobAttempt>();
  #starting: Promise<PgBoss> | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(table: ShardTable, connection: Connection, log: Log) {
    this.#table = table;
    this.#connection = connection;
    this.#log = log;
    this.#due = dueCondition(table);
  }

  async send(
    tx: Parameters<Dispatch['send']>[0],
    jobId: string,
    shards: readonly OpenShard[],
    delay = 0,
  ): Promise<void> {
    const { fromKysely } = await import('pg-boss');
    const boss = await this.#boss();
    const tickets = shards.map((shard) => ticketOf(jobId, shard, delay));
    if (tickets.length > 0) await boss.insert(QUEUE, tickets, { db: fromKysely(tx.getKysely()) });
  }

  async claim(worker: string): Promise<Claim | undefined> {
    const boss = await this.#boss();
    this.#sweeping ??= this.#sweepLater();
    for (;;) {
      const [ticket] = await boss.fetch<Ticket>(QUEUE);
      if (ticket === undefined) return undefined;
      const { jobId, seq } = ticket.data;
      const which = `job_id = ? and seq = ? and ${OPEN} and ${this.#due}`;
      const claim = await takeShard(this.#table, worker, which, [jobId, seq]);
      if (claim !== undefined) {
        this.#tickets.set(nameOf(claim), attemptOf(ticket));
        return claim;
      }
      // Settled, or not to run yet: the sweep makes another ticket when its time has come.
      await boss.complete(QUEUE, attemptOf(ticket));
    }
  }

  async renewed(claim: Claim): Promise<void> {
    const ticket = this.#tickets.get(nameOf(claim));
    if (ticket !== undefined) await (await this.#boss()).touch(QUEUE, ticket);
  }

  async settle(tx: Parameters<Dispatch['settle']>[0], claim: Claim): Promise<void> {
    const ticket = this.#tickets.get(nameOf(claim));
    if (ticket === undefined) return;
    const { fromKysely } = await import('pg-boss');
    await (await this.#boss()).complete(QUEUE, ticket, null, { db: fromKysely(tx.getKysely()) });
  }

  ended(claim: Claim, isLost: boolean): void {
    const ticket = this.#tickets.get(nameOf(claim));
    this.#tickets.delete(nameOf(claim));
    if (ticket !== undefined && isLost) this.#inBackground((boss) => boss.complete(QUEUE, ticket));
  }

  withdraw(jobId: string): void {
    const mine: Partial<Ticket> = { jobId, kind: 'chunk' };
    this.#inBackground(async (boss) => {
      for (let found = BATCH; found === BATCH; ) {
        const tickets = await boss.findJobs(QUEUE, { data: mine, queued: true, limit: BATCH });
        found = tickets.length;
        const ids = tickets.map(({ id }) => id);
        if (ids.length > 0) await boss.deleteJob(QUEUE, ids);
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sweeping);
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: false });
  }

  /** Opened when it is first used; a start that fails is tried again by the next who uses it. */
  #boss(): Promise<PgBoss> {
    this.#starting ??= startPgBoss(this.#table.settings, this.#connection, this.#log).catch(
      (error: unknown) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  #sweepLater(): NodeJS.Timeout {
    const sweep = () => {
      this.#inBackground(async (boss) => {
        for (let from = 0; (await this.#sweep(boss, from)) === SWEEP; from += SWEEP);
      });
      this.#sweeping?.refresh();
    };
    return setTimeout(sweep, monitorOf(this.#table.settings) * 1000).unref();
  }

  /**
   * Makes tickets for shards that may run and have none. Those which have one keep it, as their keys refuse another.
   * Workers take the lowest ranks first, so that shards without tickets soon are the lowest.
   *
   * @param from the number of shards that have been looked at
   * @returns the number of tickets that were missing
   */
  async #sweep(boss: PgBoss, from: number): Promise<number> {
    const shards = await rowsOf<OpenShard & { job_id: string }>(
      this.#table.em.fork(),
      `select job_id, seq, kind, rank from bulk_shards where ${OPEN} and ${this.#due}
      order by rank, job_id, seq limit ${SWEEP} offset ?`,
      [from],
    );
    if (shards.length === 0) return 0;
    const tickets = shards.map((shard) => ticketOf(shard.job_id, shard, 0));
    return (await boss.insert(QUEUE, tickets, { returnId: true }))?.length ?? 0;
  }

  /** For what others make good if it fails: a ticket that is left over is settled by the next who fetches it. */
  #inBackground(work: (boss: PgBoss) => Promise<unknown>): void {
    if (this.#isClosed) return;
    const warn = (error: unknown) => {
      if (!this.#isClosed) this.#log.warn({ reason: reasonOf(error) }, 'The queue of jobs failed.');
    };
    this.#boss().then(work).catch(warn);
  }
}

/** A job's tickets are fetched by the rank of their shards. */
function ticketOf(jobId: string, { seq, kind, rank }: OpenShard, delay: number): JobInsert<Ticket> {
  const when = delay > 0 ? { startAfter: delay } : {};
  return { data: { jobId, seq, kind }, singletonKey: `${jobId}/${seq}`, priority: -rank, ...when };
}

const attemptOf = ({ id, retryCount }: JobAttempt): JobAttempt => ({ id, retryCount });

const nameOf = ({ jobId, seq, attempt }: Claim): string => `${jobId}/${seq}/${attempt}`;
