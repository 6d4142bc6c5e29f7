import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Claim, ShardKind } from './contract.ts';

/** A shard that may run. */
export interface OpenShard {
  readonly seq: number;
  readonly kind: ShardKind;
  readonly rank: number;
}

/**
 * Hands out shards on PostgreSQL, with a ticket for each open one. The tables decide: taking, keeping or settling a
 * shard changes its row, whatever was handed out.
 */
export interface Tickets {
  /**
   * Creates tickets in the transaction that opens their shards. A shard that has one keeps it.
   *
   * @param delay seconds until they may run
   */
  send(tx: SqlEntityManager, jobId: string, shards: readonly OpenShard[], delay?: number): Promise<void>;
  /** Takes a shard that may run now. */
  claim(worker: string): Promise<Claim | undefined>;
  /** Called when the lease of a claim has been renewed. */
  renewed(claim: Claim): Promise<void>;
  /** Ends the ticket of a claim, in the transaction that ends the claim. */
  settle(tx: SqlEntityManager, claim: Claim): Promise<void>;
  /** Called when a worker has lost its claim. */
  lost(claim: Claim): void;
  close(): Promise<void>;
}
