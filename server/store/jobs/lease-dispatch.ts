import type { ShardTable } from './dialect.ts';
import type { Dispatch } from './dispatch.ts';
import { dueCondition, OPEN, takeShard } from './take.ts';

/** Asks the table of shards itself, as SQLite lets one process at a time write: nothing has to be handed out. */
export function createLeaseDispatch(table: ShardTable): Dispatch {
  const first = `(job_id, seq) = (
    select job_id, seq from bulk_shards where ${OPEN} and ${dueCondition(table)}
    order by rank, job_id, seq limit 1)`;
  return {
    claim: (worker) => takeShard(table, worker, first, []),
    send: async () => {},
    renewed: async () => {},
    settle: async () => {},
    ended: () => {},
    withdraw: () => {},
    close: async () => {},
  };
}
