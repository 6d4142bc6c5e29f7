import { ServiceError } from '../../../core/errors.ts';
import type { BulkThreads } from '../../engine/run/bulk-threads.ts';
import type { ByteBudget } from '../../engine/run/byte-budget.ts';
import type { Claim, JobStore, ShardResult } from '../../store/jobs/contract.ts';
import type { Chunking, Tally } from '../chunk-documents.ts';
import { HELD_BYTES, isForOneThread, type ShardWork, wasLost } from '../range-task.ts';
import type { ShardRange } from '../shard.ts';
import type { JobSpec } from './spec.ts';

/** What a thread sends about a shard: the counts so far, or the result. */
export type ShardMessage = { readonly tally: Readonly<Tally> } | { readonly result: ShardResult };

/** What a thread asks the store: a method and its arguments. */
export type StoreQuestion = {
  readonly [M in 'noteStored' | 'noteFailed']: {
    readonly method: M;
    readonly given: Parameters<JobStore[M]>;
  };
}['noteStored' | 'noteFailed'];

/** Chunks a shard from this thread. @param chunking by default feeds its documents to all threads */
export type ChunkHere = (chunking?: Chunking) => Promise<ShardResult>;

export interface ShardThreadsOptions {
  readonly bulk: Pick<BulkThreads, 'run'>;
  readonly byteBudget: ByteBudget;
  readonly store: Pick<JobStore, 'noteStored' | 'noteFailed'>;
  readonly work: ShardWork;
}

/** Seconds that a thread pauses at most because requests fill the byte budget. */
const PAUSE = 10;

/** Chunks shards in worker threads, which read the source and write the part files. */
export class ShardThreads {
  readonly #options: ShardThreadsOptions;

  constructor(options: ShardThreadsOptions) {
    this.#options = options;
  }

  /**
   * @param onTally called with the counts so far
   * @param here chunks a shard by feeding its documents to all threads, each with a deadline of its own. It is
   * used for parts that no thread should chunk alone, and after a thread was lost, to find the document at fault.
   */
  async chunk(
    claim: Claim,
    signal: AbortSignal,
    onTally: (tally: Readonly<Tally>) => void,
    here: ChunkHere,
  ): Promise<ShardResult> {
    const isUpload = (claim.spec as JobSpec).source.path === undefined;
    if (isUpload || !isForOneThread(claim.range as ShardRange)) return here();
    try {
      return await this.#inThread(claim, signal, onTally);
    } catch (error) {
      signal.throwIfAborted();
      if (!wasLost(error)) throw error;
      return here();
    }
  }

  async #inThread(
    claim: Claim,
    signal: AbortSignal,
    onTally: (tally: Readonly<Tally>) => void,
  ): Promise<ShardResult> {
    const { bulk, byteBudget, store, work } = this.#options;
    let result: ShardResult | undefined;
    byteBudget.force(HELD_BYTES);
    try {
      await bulk.run({ kind: 'shard', claim, work }, signal, {
        onMessage(message) {
          const sent = message as ShardMessage;
          if ('tally' in sent) onTally(sent.tally);
          else result = sent.result;
        },
        answer: (question) => askStore(store, question as StoreQuestion),
        shouldPause: () => byteBudget.isFull(HELD_BYTES),
        pause: () => byteBudget.room(HELD_BYTES, PAUSE, signal),
      });
    } finally {
      byteBudget.giveBack(HELD_BYTES);
    }
    if (result === undefined) throw new ServiceError('worker_lost', {});
    return result;
  }
}

function askStore(store: ShardThreadsOptions['store'], question: StoreQuestion): Promise<unknown> {
  if (question.method === 'noteStored') return store.noteStored(...question.given);
  return store.noteFailed(...question.given);
}
