import type { ConstructorOptions, PgBoss } from 'pg-boss';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { hold } from '../../../core/hold.ts';
import { ANSWER_PATIENCE } from '../open-database.ts';
import type { QueueSettings } from './contract.ts';

/** How the database is reached. */
export type Connection = Pick<ConstructorOptions, 'host' | 'port' | 'user' | 'password' | 'database'>;

export const QUEUE = 'chunksmith-bulk';
const SCHEMA = 'chunksmith_queue';
/** pg-boss takes no shorter time as lost. */
const SHORTEST_HEARTBEAT = 10;
const LONGEST_MONITOR = 5;
/** Seconds after which a settled ticket is deleted, and after which one is lost whatever its heartbeat. */
const KEPT = 3600;
const DAY = 86_400;

/** Seconds between two looks for tickets whose workers are lost, and for shards whose tickets are. */
export const monitorOf = ({ leaseSeconds }: QueueSettings): number =>
  Math.max(1, Math.min(LONGEST_MONITOR, Math.floor(leaseSeconds / 6)));

/**
 * Starts pg-boss, which creates and updates tables of its own, in a schema of its own.
 *
 * @throws the database's error if it cannot be reached
 */
export async function startPgBoss(
  settings: QueueSettings,
  connection: Connection,
  log: Log,
): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const monitor = monitorOf(settings);
  // What pg-boss does not know goes on to the pool.
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
    await boss.createQueue(QUEUE, { policy: 'exclusive' });
    // Of a queue that is there already, with the settings of an earlier start.
    await boss.updateQueue(QUEUE, {
      heartbeatSeconds: Math.max(SHORTEST_HEARTBEAT, Math.ceil(settings.leaseSeconds)),
      expireInSeconds: DAY,
      // The table of shards counts failures; a ticket lasts until it has counted the last.
      retryLimit: settings.mostFailures,
      retryDelay: 0,
      deleteAfterSeconds: KEPT,
    });
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}
