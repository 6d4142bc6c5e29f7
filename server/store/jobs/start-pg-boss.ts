import type { ConstructorOptions, PgBoss } from 'pg-boss';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { hold } from '../../../core/hold.ts';
import { ANSWER_PATIENCE } from '../open-database.ts';
import type { QueueSettings } from './contract.ts';

/** How the database is reached. */
export type Connection = Pick<ConstructorOptions, 'host' | 'port' | 'user' | 'password' | 'database'>;

export const QUEUE = 'chunksmith-bulk';
/** Holds the tickets whose workers were lost so often that their shards have failed for good. */
export const LOST = 'chunksmith-bulk-lost';
const SCHEMA = 'chunksmith_queue';
/** Minimum lease that pg-boss supports. */
const SHORTEST_HEARTBEAT = 10;
const LONGEST_MONITOR = 5;
/**
 * How long a ticket may wait, and be processed: ten years, and the day that pg-boss allows. A ticket that returns
 * before its worker is done gives nobody the shard.
 */
const LASTING = { retentionSeconds: 315_360_000, expireInSeconds: 86_400 };
/** How often a dead letter returns. */
const ALWAYS = 2 ** 31 - 1;
/** Seconds after which a settled ticket is deleted. */
const KEPT = 3600;

/** Seconds between two checks for tickets whose workers are lost. */
export const monitorOf = ({ leaseSeconds }: QueueSettings): number =>
  Math.max(1, Math.min(LONGEST_MONITOR, Math.floor(leaseSeconds / 6)));

/**
 * Starts pg-boss, which creates and updates its own tables in its own schema.
 *
 * @param prepare called before it is used
 * @throws the database's error if it cannot be reached
 */
export async function startPgBoss(
  settings: QueueSettings,
  connection: Connection,
  log: Log,
  prepare: (boss: PgBoss) => Promise<void>,
): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const monitor = monitorOf(settings);
  // Unknown options are passed on to the pool.
  const options = {
    ...connection,
    schema: SCHEMA,
    application_name: 'chunksmith-queue',
    max: 3,
    schedule: false,
    superviseIntervalSeconds: monitor,
    monitorIntervalSeconds: monitor,
    connectionTimeoutMillis: ANSWER_PATIENCE,
    query_timeout: ANSWER_PATIENCE,
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

async function createQueues(boss: PgBoss, { leaseSeconds, mostFailures }: QueueSettings): Promise<void> {
  const common = {
    heartbeatSeconds: Math.max(SHORTEST_HEARTBEAT, Math.ceil(leaseSeconds)),
    retryDelay: 0,
    deleteAfterSeconds: KEPT,
    ...LASTING,
  };
  await boss.createQueue(LOST);
  await boss.createQueue(QUEUE, { policy: 'exclusive' });
  // For existing queues, which have the settings of an earlier start.
  await boss.updateQueue(LOST, { ...common, retryLimit: ALWAYS });
  await boss.updateQueue(QUEUE, { ...common, retryLimit: mostFailures - 1, deadLetter: LOST });
}
