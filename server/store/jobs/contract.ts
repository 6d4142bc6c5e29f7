import type { PlainError } from '../../../core/errors.ts';

/**
 * States of a job. It begins with a plan, runs its shards, and finishes with a manifest. It ends as `done`,
 * `failed` or `cancelled`.
 */
export const JOB_STATES = ['planning', 'running', 'finishing', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const SHARD_STATES = ['ready', 'running', 'done', 'failed', 'cancelled'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/**
 * The work of a shard.
 * - `plan` adds the `chunk` shards.
 * - `chunk` chunks a part of the source.
 * - `finish` writes the manifest once all `chunk` shards are settled.
 * - `notify` calls back when the job has ended.
 */
export type ShardKind = 'plan' | 'chunk' | 'finish' | 'notify';

export type Failure = Pick<PlainError, 'code' | 'values'>;

/**
 * Why a file has no chunks although nothing failed.
 * - `no_reader`: the readers for it cannot run here.
 * - `binary`: it is not text, and no reader matches.
 * - `ignored`: `.gitignore` excludes it, or its name begins with a dot.
 * - `unreadable`: it cannot be read as a file of the source, for example because it is a link outside.
 * - `empty`: it was read, but its document has no chunks.
 */
export type SkipReason = 'no_reader' | 'binary' | 'ignored' | 'unreadable' | 'empty';

export interface JobCounts {
  /** Includes failed documents. */
  readonly documents: number;
  readonly failed: number;
  readonly chunks: number;
  /** Texts without a word that the model knows. */
  readonly embedding_empty: number;
  /** Texts with a vector from a model's lexical fallback. */
  readonly embedding_fallback: number;
  /** Texts that are longer than the model's window. */
  readonly embedding_cut: number;
  readonly bytes: number;
  /** Content that readers left out of files, by name. */
  readonly left_out: Readonly<Record<string, number>>;
  /** Reasons that did not occur are missing. */
  readonly skipped: { readonly [R in SkipReason]?: number };
}

export const NO_COUNTS: JobCounts = {
  documents: 0,
  failed: 0,
  chunks: 0,
  embedding_empty: 0,
  embedding_fallback: 0,
  embedding_cut: 0,
  bytes: 0,
  left_out: {},
  skipped: {},
};

/** A stored job. Times are seconds since 1970 by the clock of the database. */
export interface JobRecord {
  /** UUID in lower case. */
  readonly id: string;
  /** The job's specification, opaque to the store. */
  readonly spec: object;
  readonly state: JobState;
  readonly error: Failure | null;
  /** The `chunk` shards. After the end of the job, some may be neither done nor failed. */
  readonly shards: {
    readonly total: number;
    readonly open: number;
    readonly done: number;
    readonly failed: number;
  };
  /** The totals of finished shards, plus the progress of running ones. */
  readonly counts: JobCounts;
  readonly pruned: number;
  /** Documents that the job has kept in the sink because they may still exist. */
  readonly unpruned: number;
  /** Bytes of the whole source. */
  readonly bytes_total: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly expires_at: number;
}

export interface NewJob {
  /** UUID in lower case; default: a new one. */
  readonly id?: string;
  readonly spec: object;
  /** Distinguishes requests with the same idempotency key. */
  readonly digest: string;
  readonly idempotencyKey: string | null;
  /** The documents of a request: text without NUL and lone surrogates. Null for other sources. */
  readonly upload: string | null;
  /** Maximum failed documents before the job fails; null means no limit. */
  readonly maxErrors: number | null;
  /** Whether a `notify` shard is added when the job ends. */
  readonly notifies: boolean;
  /** Seconds that the job is kept after its end. They count from its start if it does not end. */
  readonly keepSeconds: number;
}

export type JobPosition = Pick<JobRecord, 'created_at' | 'id'>;

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly hasMore: boolean;
}

export interface ShardRecord {
  readonly seq: number;
  readonly kind: ShardKind;
  readonly state: ShardState;
  readonly attempt: number;
  readonly failures: number;
  readonly worker: string | null;
  readonly range: object;
  readonly output: object | null;
  readonly error: Failure | null;
}

export interface ShardPage {
  readonly shards: readonly ShardRecord[];
  readonly hasMore: boolean;
}

/** A shard that a worker has taken. A worker with a lower `attempt` has lost the shard. */
export interface Claim {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
  readonly range: object;
  readonly attempt: number;
  /** Number of failures, including lost workers. */
  readonly failures: number;
  readonly spec: object;
}

export interface PlannedShard {
  readonly range: object;
  readonly bytes: number;
}

export type ShardProgress = Pick<JobCounts, 'documents' | 'failed' | 'chunks' | 'bytes'>;

export interface ShardResult {
  readonly counts: JobCounts;
  /** Data of the shard that the finish needs. */
  readonly output: object | null;
  /** Fails a job whose shards are done. Only a `finish` sets it. */
  readonly failure?: Failure | undefined;
}

/** The result of a shard of any kind but `chunk`. */
export const NO_DOCUMENTS: ShardResult = { counts: NO_COUNTS, output: null };

export interface SourceInSink {
  readonly sink: string;
  readonly source: string;
}

/** A document that the source had before and no longer has. */
export interface GoneDocument {
  readonly id: string;
  /** Whether another source has a document with this id in the same sink. */
  readonly isElsewhere: boolean;
}

export type PruneCounts = Pick<JobRecord, 'pruned' | 'unpruned'>;

export interface JobLoad {
  readonly shards: Readonly<Record<ShardState, number>>;
  /** Seconds since the oldest waiting shard became ready; 0 if none waits. */
  readonly oldestReadySeconds: number;
}

/**
 * Stores jobs and hands out their shards. The tables alone decide which work is done. Every change of a shard names
 * the attempt of its claim, so that a worker that was presumed dead cannot change anything. Every method throws
 * `ServiceError` `store_unavailable` if the database cannot be used, after a few retries of temporary failures.
 */
export interface JobStore {
  /** Updates the tables, like `PipelineStore.open`. @throws StoreOpenError */
  open(): Promise<void>;
  /**
   * Stores a job with its plan shard. If the idempotency key and digest are known, it returns the existing job.
   *
   * @throws ServiceError `idempotency_key_reused` if the key belongs to a job with another digest
   */
  create(job: NewJob): Promise<{ readonly job: JobRecord; readonly isNew: boolean }>;
  /** @throws ServiceError `job_not_found`, also if the id is not a UUID */
  get(id: string): Promise<JobRecord>;
  /** Lists one page, newest first. */
  list(page: {
    readonly limit: number;
    readonly after?: JobPosition | undefined;
    readonly state?: JobState | undefined;
  }): Promise<JobPage>;
  /** Lists one page of the `chunk` shards of a job, by `seq`; empty for an unknown job. */
  shards(
    id: string,
    page: {
      readonly limit: number;
      readonly after?: number | undefined;
      readonly state?: ShardState | undefined;
    },
  ): Promise<ShardPage>;
  /** The documents of the request that created the job. @param id of a job */
  upload(id: string): Promise<string | null>;
  /** Cancels a job unless it has ended. @throws ServiceError `job_not_found` */
  cancel(id: string): Promise<JobRecord>;
  /**
   * Reopens the failed and cancelled shards of a job that is `failed` or `cancelled`. Other shards stay unchanged.
   *
   * @throws ServiceError `job_not_found`, `job_not_over`
   */
  retry(id: string): Promise<JobRecord>;
  /** Removes a job that has ended, with its shards. @throws ServiceError `job_not_found`, `job_not_over` */
  remove(id: string): Promise<void>;
  /** Returns some expired jobs. Their files must be removed before their records. */
  expired(limit: number): Promise<readonly JobRecord[]>;
  load(): Promise<JobLoad>;

  /**
   * Takes a shard that may run now, with a lease; undefined if there is none. Jobs take turns. A shard that has
   * lost too many workers fails instead, and the next one is taken.
   *
   * @param worker name of the worker in lists
   */
  claim(worker: string): Promise<Claim | undefined>;
  /** Renews the lease and stores the progress. @returns whether the shard still belongs to the worker */
  renew(claim: Claim, progress?: ShardProgress): Promise<boolean>;
  /**
   * Adds shards of a plan and renews its lease, if the plan still belongs to the worker. Existing shards stay
   * unchanged.
   *
   * @param from `seq` of the first shard, from 0
   * @returns whether the plan still belongs to the worker
   * @throws ServiceError `source_changed` if the existing shards differ
   */
  addShards(plan: Claim, from: number, shards: readonly PlannedShard[]): Promise<boolean>;
  /**
   * Settles a shard and adds its counts, in one transaction. The last shard opens the `finish`, or ends the job.
   * Counts above `maxErrors` fail the job and cancel its open shards.
   *
   * @returns whether it counted: the shard still belonged to the worker, or this attempt was already committed
   */
  commit(claim: Claim, result: ShardResult): Promise<boolean>;
  /**
   * Schedules a retry of a shard after a growing pause. Without tries left, the shard fails for good.
   *
   * @param isFinal fails it for good now
   * @returns whether the shard still belonged to the worker
   */
  fail(claim: Claim, failure: Failure, isFinal?: boolean): Promise<boolean>;
  /** Gives back an unfinished shard at once, without counting a failure. */
  giveBack(claim: Claim): Promise<void>;

  /**
   * Records that a shard is about to store documents. The record outlives the job.
   *
   * @returns the ids that another shard of the job stores
   */
  noteStored(
    shard: Pick<Claim, 'jobId' | 'seq'>,
    of: SourceInSink,
    ids: readonly string[],
  ): Promise<readonly string[]>;
  /** Records failed documents of the job that an earlier job has stored. */
  noteFailed(jobId: string, of: SourceInSink, ids: readonly string[]): Promise<void>;
  /** Returns some of the documents that this job and later ones do not have; empty once all are forgotten. */
  goneDocuments(jobId: string, of: SourceInSink): Promise<readonly GoneDocument[]>;
  countGone(jobId: string, of: SourceInSink): Promise<number>;
  /**
   * Forgets documents that no longer exist, and adds the pruned ones to the job's counts.
   *
   * @returns whether the shard still belongs to the worker; otherwise nothing changes
   */
  forgetDocuments(
    claim: Claim,
    of: SourceInSink,
    ids: readonly string[],
    counts: PruneCounts,
  ): Promise<boolean>;
}

export interface QueueSettings {
  /** Seconds without a sign of life from its worker before a shard runs elsewhere. */
  readonly leaseSeconds: number;
  /** Maximum failures and lost workers of a shard. */
  readonly maxFailures: number;
  /** Seconds before the first retry; doubles each time. */
  readonly pauseSeconds: number;
}
