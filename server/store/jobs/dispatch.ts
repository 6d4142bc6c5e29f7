import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Claim, ShardKind } from './contract.ts';

/** A shard that may run. */
export interface OpenShard {
  readonly seq: number;
  readonly kind: ShardKind;
  readonly rank: number;
}

/**
 * Hands out shards. What is in the tables decides: who takes, keeps or settles a shard changes its row, whatever was
 * handed out.
 */
export interface Dispatch {
  /**
   * Offers shards in the transaction that opens them.
   *
   * @param delay seconds until they may run
   */
  send(tx: SqlEntityManager, jobId: string, shards: readonly OpenShard[], delay?: number): Promise<void>;
  /** Takes a shard that may run now. */
  claim(worker: string): Promise<Claim | undefined>;
  /** Is told that the lease of a claim has been lengthened. */
  renewed(claim: Claim): Promise<void>;
  /** Takes back what was handed out for a claim, in the transaction that ends the claim. */
  settle(tx: SqlEntityManager, claim: Claim): Promise<void>;
  /** Is told that a claim has ended, because it is settled or because its worker has lost it. */
  ended(claim: Claim, isLost: boolean): void;
  /** Takes back the offers of a job whose shards were closed. */
  withdraw(jobId: string): void;
  close(): Promise<void>;
}
