import type { PlainError } from '../../../core/errors.ts';

/**
 * A job begins with a plan, runs its shards, and finishes with a manifest. It is over when it is `done`, `failed` or
 * `cancelled`.
 */
export const JOB_STATES = ['planning', 'running', 'finishing', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const SHARD_STATES = ['ready', 'running', 'done', 'failed', 'cancelled'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/**
 * What a shard is for: `plan` adds the `chunk` shards, each of which chunks a part of the source; `finish` writes the manifest
 * once all of these are settled; `notify` calls back once the job is over.
 */
export type ShardKind = 'plan' | 'chunk' | 'finish' | 'notify';

/** What is wrong with a job or a shard, as callers are told. */
export type Failure = Pick<PlainError, 'code' | 'values'>;

/** Files that were not read, since no reader for them can run or they are binary, and documents that are done without text. */
export interface SkippedCounts {
  readonly no_reader: number;
  readonly binary: number;
  readonly empty: number;
}

/** A job as it is stored. Times are seconds since 1970 by the clock of the database. */
export interface JobRecord {
  /** UUID in lower case. */
  readonly id: string;
  /** What is to be done; the store does not look into it. */
  readonly spec: object;
  readonly state: JobState;
  readonly error: Failure | null;
  /** The `chunk` shards; those of a job that is over may be none of the three. */
  readonly shards: {
    readonly total: number;
    readonly open: number;
    readonly done: number;
    readonly failed: number;
  };
  /** Of the shards that are done. */
  readonly documents: { readonly done: number; readonly failed: number };
  readonly skipped: SkippedCounts;
  readonly chunks: number;
  /** Texts of which the model knows no word. */
  readonly embedding_empty: number;
  /** Documents that were deleted from the sink, and those that were not since it is not certain that they are gone. */
  readonly pruned: number;
  readonly unpruned: number;
  readonly bytes: { readonly read: number; readonly total: number };
  readonly created_at: number;
  readonly finished_at: number | null;
  /** When the job is removed. */
  readonly expires_at: number;
}

export interface NewJob {
  /** UUID in lower case; by default a new one. */
  readonly id?: string;
  readonly spec: object;
  /** Distinguishes what is asked for under one idempotency key. */
  readonly digest: string;
  readonly idempotencyKey: string | null;
  /** The documents of a small source that came with the request: text without NUL and without half a surrogate pair. */
  readonly upload: string | null;
  /** Most documents that may fail before the job fails; null is any number. */
  readonly maxErrors: number | null;
  /** Whether a `notify` shard is added once the job is over. */
  readonly notifies: boolean;
  /** Seconds that the job is kept, from its end on; one that does not end, from its beginning. */
  readonly keepSeconds: number;
}

/** Where a page of jobs begins: after the job with this time and id. */
export interface JobPosition {
  readonly created_at: number;
  readonly id: string;
}

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** A shard as it is listed. */
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

/** A shard that a worker has taken. Whoever has a lower `attempt` has lost it. */
export interface Claim {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
  readonly range: object;
  readonly attempt: number;
  /** How often it failed, or its worker was lost. */
  readonly failures: number;
  /** The job's. */
  readonly spec: object;
}

/** A part of a plan. */
export interface PlannedShard {
  readonly range: object;
  readonly bytes: number;
}

/** What came of a shard. */
export interface ShardResult {
  /** All of the shard, failed ones included. */
  readonly documents: number;
  readonly documentsFailed: number;
  /** 0 unless given. */
  readonly skipped?: Partial<SkippedCounts>;
  readonly chunks: number;
  /** Texts of which the model knows no word; 0 unless given. */
  readonly embedding_empty?: number;
  readonly bytes: number;
  /** What the finish needs of it. */
  readonly output: object | null;
  /** Fails a job whose shards are done; of a `finish` alone. */
  readonly failure?: Failure | undefined;
}

/** A source of documents, and a sink with the options that say where it stores them. Digests. */
export interface SourceInSink {
  readonly sink: string;
  readonly source: string;
}

/** A document that a source had. */
export interface GoneDocument {
  readonly id: string;
  /** Whether another source has one of this id in the same sink. */
  readonly isElsewhere: boolean;
}

export type PruneCounts = Pick<JobRecord, 'pruned' | 'unpruned'>;

/** How busy the workers of all machines are. */
export interface JobLoad {
  readonly shards: Readonly<Record<ShardState, number>>;
  /** Seconds that the shard which waits longest has been ready; 0 if none waits. */
  readonly oldestReadySeconds: number;
}

/**
 * Keeps jobs and hands out their shards. Its tables alone decide what is done: every change of a shard names the attempt
 * that it was claimed with, so that a worker which was taken for dead cannot change anything.
 *
 * Every method throws `ServiceError` `store_unavailable` if the database cannot be used, after a few retries if that may
 * pass.
 */
export interface JobStore {
  /** Brings the tables up to date, as `PipelineStore.open`. @throws StoreOpenError */
  open(): Promise<void>;
  /**
   * Stores a job with its plan shard. The same idempotency key and digest give the job that is there.
   *
   * @throws ServiceError `idempotency_key_reused` if the key belongs to a job with another digest
   */
  create(job: NewJob): Promise<{ readonly job: JobRecord; readonly isNew: boolean }>;
  /** @throws ServiceError `job_not_found`, also if the id is no UUID */
  get(id: string): Promise<JobRecord>;
  /** One page, newest first. */
  list(page: {
    readonly limit: number;
    readonly after?: JobPosition | undefined;
    readonly state?: JobState | undefined;
  }): Promise<JobPage>;
  /** One page of the `chunk` shards of a job, by `seq`; none of a job that is not there. */
  shards(
    id: string,
    page: {
      readonly limit: number;
      readonly after?: number | undefined;
      readonly state?: ShardState | undefined;
    },
  ): Promise<ShardPage>;
  /** The documents that came with the request. */
  upload(id: string): Promise<string | null>;
  /** Cancels what is not over; a job that is over stays as it is. @throws ServiceError `job_not_found` */
  cancel(id: string): Promise<JobRecord>;
  /**
   * Opens the failed and cancelled shards of a job that is `failed` or `cancelled` again; the others stay as they are.
   *
   * @throws ServiceError `job_not_found`, `job_not_over`
   */
  retry(id: string): Promise<JobRecord>;
  /** Removes a job that is over, and its shards. @throws ServiceError `job_not_found`, `job_not_over` */
  remove(id: string): Promise<void>;
  /** Some jobs whose time is over; their files are to be removed, and then they. */
  expired(limit: number): Promise<readonly JobRecord[]>;
  load(): Promise<JobLoad>;

  /**
   * Takes a shard that may run now, with a lease; undefined if there is none. Shards of several jobs take turns. A shard
   * that was lost too often is failed instead, and the next one taken.
   *
   * @param worker names the worker in lists
   */
  claim(worker: string): Promise<Claim | undefined>;
  /** Lengthens the lease. @returns whether the shard is still the worker's */
  renew(claim: Claim): Promise<boolean>;
  /**
   * Adds shards of a plan, fenced by the plan's own lease, which it renews; those that are there already stay.
   *
   * @param from `seq` of the first, from 0
   * @returns whether the plan is still the worker's
   * @throws ServiceError `source_changed` if those that are there are others
   */
  addShards(plan: Claim, from: number, shards: readonly PlannedShard[]): Promise<boolean>;
  /**
   * Settles a shard with its counts in one transaction; the last one opens the `finish`, or ends the job. Counts above
   * `maxErrors` fail the job and cancel its open shards.
   *
   * @returns whether it counted: the shard was still the worker's, or this very attempt had been committed before
   */
  commit(claim: Claim, result: ShardResult): Promise<boolean>;
  /**
   * Gives a shard another try after a pause that grows, or fails it for good when it has had its tries.
   *
   * @param isFinal fails it for good now
   * @returns whether the shard was still the worker's
   */
  fail(claim: Claim, failure: Failure, isFinal?: boolean): Promise<boolean>;
  /** Gives a shard back that was not done, at once and without counting a failure. */
  giveBack(claim: Claim): Promise<void>;

  /**
   * Remembers, for longer than the job, that a shard is about to store documents.
   *
   * @returns the ids that another shard of the job stores
   */
  noteStored(
    shard: Pick<Claim, 'jobId' | 'seq'>,
    of: SourceInSink,
    ids: readonly string[],
  ): Promise<readonly string[]>;
  /** Remembers that the job has documents that failed, if an earlier job has stored them. */
  noteFailed(jobId: string, of: SourceInSink, ids: readonly string[]): Promise<void>;
  /** Some of the documents that no job has had which was made as late as this one; none once all are forgotten. */
  goneDocuments(jobId: string, of: SourceInSink): Promise<readonly GoneDocument[]>;
  /** How many there are. */
  countGone(jobId: string, of: SourceInSink): Promise<number>;
  /**
   * Forgets documents that are gone, and counts in the job what was pruned.
   *
   * @returns whether the shard is still the worker's; else nothing changes
   */
  forgetDocuments(
    claim: Claim,
    of: SourceInSink,
    ids: readonly string[],
    counts: PruneCounts,
  ): Promise<boolean>;
  close(): Promise<void>;
}

/** How shards are handed out. */
export interface QueueSettings {
  /** Seconds after which a shard whose worker is not heard of runs elsewhere. */
  readonly leaseSeconds: number;
  /** How often a shard may fail, or lose its worker. */
  readonly mostFailures: number;
  /** Seconds before the first further try; it doubles each time. */
  readonly pauseSeconds: number;
}
