import type { ConstructorOptions, Job, JobAttempt, JobInsert, PgBoss } from 'pg-boss';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { ANSWER_TIMEOUT } from '../open-database.ts';
import { transact } from '../transact.ts';
import type { Claim, QueueSettings, ShardKind, ShardState } from './contract.ts';
import { isOver, lockJob, type OpenShard, rowOf, type ShardTable, type Transaction } from './dialect.ts';
import { dueCondition, IS_OPEN, takeShard } from './take.ts';

type Connection = Pick<ConstructorOptions, 'host' | 'port' | 'user' | 'password' | 'database'>;

const QUEUE = 'chunksmith-bulk';
/** The queue of tickets whose workers were lost too often. The shards of these tickets fail permanently. */
const LOST = 'chunksmith-bulk-lost';
const SCHEMA = 'chunksmith_queue';
/** Minimum seconds of a lease that pg-boss supports. */
const MIN_HEARTBEAT = 10;
const MAX_MONITOR = 5;
/**
 * A ticket may wait for ten years, and be processed for one day, the maximum of pg-boss. If pg-boss hands out
 * a ticket again while its first worker is still busy, the second worker does not get the shard.
 */
const LASTING = { retentionSeconds: 315_360_000, expireInSeconds: 86_400 };
/** Retry limit for tickets in the queue `LOST`, so that they are always handed out again. */
const ALWAYS = 2 ** 31 - 1;
/** Seconds before a completed ticket is deleted. */
const KEPT = 3600;

/** The content of a ticket, which permits a worker to run this shard. */
interface Ticket {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
}

const BATCH = 1000;
/** Seconds until a ticket is handed out again if its shard may not run yet. */
const LATER = 5;
const BEFORE_ALL = { rank: -1, job_id: '00000000-0000-0000-0000-000000000000', seq: 0 };

/**
 * Hands out shards on PostgreSQL, with a ticket in pg-boss for each open shard. Only the tables decide who
 * owns a shard: taking, keeping or settling a shard changes its row. Uses `fetch`, `touch` and `complete` of
 * pg-boss, because `work()` and LISTEN pause up to 30 s between single tickets. An open shard has exactly one
 * ticket, whose key is the shard.
 * - The ticket is created in the transaction that opens the shard.
 * - If its worker is lost, the ticket is handed out again, finally as a dead letter.
 * - The ticket is completed only in a transaction that locks the shard's row. This transaction settles the
 *   shard, finds it closed, or creates the next ticket.
 * Locks are taken in the order job, shard, ticket.
 */
export class PgBossTickets {
  readonly #table: ShardTable;
  readonly #connection: Connection;
  readonly #log: Log;
  readonly #tickets = new WeakMap<Claim, Job<Ticket>>();
  readonly #due: string;
  #starting: Promise<PgBoss> | undefined;
  #isClosed = false;

  constructor(table: ShardTable, connection: Connection, log: Log) {
    this.#table = table;
    this.#connection = connection;
    this.#log = log;
    this.#due = dueCondition(table);
  }

  /**
   * Creates tickets in the transaction that opens their shards. If a shard has a ticket, keeps that ticket.
   *
   * @param delay seconds until the shards may run
   */
  async send(tx: Transaction, jobId: string, shards: readonly OpenShard[], delay = 0): Promise<void> {
    const boss = await this.#boss();
    const tickets = shards.map((shard) => ticketOf(jobId, shard, delay));
    if (tickets.length > 0) await boss.insert(QUEUE, tickets, await within(tx));
  }

  async claim(worker: string): Promise<Claim | undefined> {
    const boss = await this.#boss();
    for (const queue of [LOST, QUEUE]) {
      for (;;) {
        const [ticket] = await boss.fetch<Ticket>(queue);
        if (ticket === undefined) break;
        const claim = await this.#take(ticket, worker);
        if (claim !== undefined) return claim;
        await this.#release(ticket);
      }
    }
    return undefined;
  }

  async renewed(claim: Claim): Promise<void> {
    const ticket = this.#tickets.get(claim);
    if (ticket !== undefined) await (await this.#boss()).touch(ticket.name, attemptOf(ticket));
  }

  async settle(tx: Transaction, claim: Claim): Promise<void> {
    const ticket = this.#tickets.get(claim);
    if (ticket === undefined) return;
    await (await this.#boss()).complete(ticket.name, attemptOf(ticket), null, await within(tx));
  }

  /** Releases the ticket of a lost claim in the background. On failure, pg-boss reissues the ticket. */
  lost(claim: Claim): void {
    const ticket = this.#tickets.get(claim);
    if (ticket === undefined || this.#isClosed) return;
    this.#release(ticket).catch((error: unknown) => {
      if (!this.#isClosed) this.#log.warn({ reason: reasonOf(error) }, 'The queue of jobs failed.');
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: false });
  }

  /** Starts pg-boss at the first use. A failed start is repeated at the next use. */
  #boss(): Promise<PgBoss> {
    const prepare = (boss: PgBoss) => this.#sendMissing(boss);
    this.#starting ??= startPgBoss(this.#table.settings, this.#connection, this.#log, prepare).catch(
      (error: unknown) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  async #take(ticket: Job<Ticket>, worker: string): Promise<Claim | undefined> {
    const { jobId, seq } = ticket.data;
    const isDead = ticket.name === LOST;
    const which = `job_id = ? and seq = ? and ${isDead ? `state = 'running'` : IS_OPEN} and ${this.#due}`;
    const taken = await takeShard(this.#table, worker, which, [jobId, seq]);
    if (taken === undefined) return undefined;
    const claim = isDead ? { ...taken, failures: this.#table.settings.maxFailures } : taken;
    this.#tickets.set(claim, ticket);
    return claim;
  }

  /**
   * Completes a ticket whose shard the worker does not get. An open shard gets another ticket. If the job has
   * ended, the waiting tickets of the job are deleted too.
   */
  async #release(ticket: Job<Ticket>): Promise<void> {
    const { jobId, seq } = ticket.data;
    const boss = await this.#boss();
    await transact(this.#table.em, async (tx) => {
      const job = await lockJob(tx, jobId);
      // Selects by key only. The statement therefore waits for a transaction that is opening the shard.
      const shard = await rowOf<OpenShard & { readonly state: ShardState; readonly due: boolean }>(
        tx,
        `select seq, kind, rank, state, ${this.#due} as due from bulk_shards where job_id = ? and seq = ? for update`,
        [jobId, seq],
      );
      const options = await within(tx);
      await boss.complete(ticket.name, attemptOf(ticket), null, options);
      if (shard?.state === 'ready' || shard?.state === 'running')
        await this.send(tx, jobId, [shard], shard.due ? 0 : LATER);
      else if (job === undefined || isOver(job.state)) {
        const data: Partial<Ticket> = { jobId, kind: 'chunk' };
        const found = await boss.findJobs(QUEUE, { ...options, data, queued: true, limit: BATCH });
        const ids = found.map(({ id }) => id);
        if (ids.length > 0) await boss.deleteJob(QUEUE, ids, options);
      }
    });
  }

  /**
   * Creates missing tickets of open shards. Tickets are missing if an older version opened the shards, or if
   * a restored backup lacks the schema of pg-boss.
   */
  async #sendMissing(boss: PgBoss): Promise<void> {
    type Row = OpenShard & { readonly job_id: string };
    const after = `select job_id, seq, kind, rank from bulk_shards
      where ${IS_OPEN} and (rank, job_id, seq) > (?, ?, ?) order by rank, job_id, seq limit ${BATCH}`;
    let last: Pick<Row, 'rank' | 'job_id' | 'seq'> | undefined = BEFORE_ALL;
    while (last !== undefined) {
      const { rank, job_id, seq } = last;
      const shards: Row[] = await this.#table.em.fork().execute<Row[]>(after, [rank, job_id, seq]);
      const tickets = shards.map((shard) => ticketOf(shard.job_id, shard));
      if (tickets.length > 0) await boss.insert(QUEUE, tickets);
      last = shards.at(-1);
    }
  }
}

/** Creates a ticket. pg-boss hands out the tickets of a job in the order of their shards' ranks. */
function ticketOf(jobId: string, { seq, kind, rank }: OpenShard, delay = 0): JobInsert<Ticket> {
  const when = delay > 0 && { startAfter: delay };
  return { data: { jobId, seq, kind }, singletonKey: `${jobId}/${seq}`, priority: -rank, ...when };
}

const attemptOf = ({ id, retryCount }: JobAttempt): JobAttempt => ({ id, retryCount });

async function within(tx: Transaction) {
  const { fromKysely } = await import('pg-boss');
  return { db: fromKysely(tx.getKysely()) };
}

/** Seconds between checks for tickets whose workers are lost. */
export const monitorOf = ({ leaseSeconds }: QueueSettings): number =>
  Math.max(1, Math.min(MAX_MONITOR, Math.floor(leaseSeconds / 6)));

/**
 * Starts pg-boss, which creates and updates the tables of its own schema.
 *
 * @param prepare called after the start, before pg-boss is used
 * @throws the database's error if the database cannot be reached
 */
async function startPgBoss(
  settings: QueueSettings,
  connection: Connection,
  log: Log,
  prepare: (boss: PgBoss) => Promise<void>,
): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const monitor = monitorOf(settings);
  // Includes options for the connection pool: pg-boss passes unknown options on to the pool.
  const options = {
    ...connection,
    schema: SCHEMA,
    application_name: 'chunksmith-queue',
    max: 3,
    schedule: false,
    superviseIntervalSeconds: monitor,
    monitorIntervalSeconds: monitor,
    connectionTimeoutMillis: ANSWER_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
  };
  const boss = hold(new PgBoss(options), (error) =>
    log.warn({ reason: error.message }, 'The queue of jobs failed.'),
  );
  boss.on('warning', ({ message }) => log.debug({ reason: message }, 'The queue of jobs warns.'));
  try {
    await boss.start();
    await createQueues(boss, settings);
    await prepare(boss);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}

async function createQueues(boss: PgBoss, { leaseSeconds, maxFailures }: QueueSettings): Promise<void> {
  const common = {
    heartbeatSeconds: Math.max(MIN_HEARTBEAT, Math.ceil(leaseSeconds)),
    retryDelay: 0,
    deleteAfterSeconds: KEPT,
    ...LASTING,
  };
  await boss.createQueue(LOST);
  await boss.createQueue(QUEUE, { policy: 'exclusive' });
  // If the queues already existed, they still have the settings of an earlier start.
  await boss.updateQueue(LOST, { ...common, retryLimit: ALWAYS });
  await boss.updateQueue(QUEUE, { ...common, retryLimit: maxFailures - 1, deadLetter: LOST });
}
