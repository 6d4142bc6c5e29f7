import type { PlainError } from '../../../core/errors.ts';

/**
 * States of a job. While `planning`, the job gets its shards; while `running`, these are processed; while
 * `finishing`, the manifest is written. The job ends as `done`, `failed` or `cancelled`.
 */
export const JOB_STATES = ['planning', 'running', 'finishing', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const SHARD_STATES = ['ready', 'running', 'done', 'failed', 'cancelled'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/**
 * Kinds of shards, by their work.
 * - `plan` adds the `chunk` shards.
 * - `chunk` chunks a part of the source.
 * - `finish` writes the manifest once all `chunk` shards are settled.
 * - `notify` sends the callback after the end of the job.
 */
export type ShardKind = 'plan' | 'chunk' | 'finish' | 'notify';

export type Failure = Pick<PlainError, 'code' | 'values'>;

/**
 * Why a file has no chunks although nothing failed.
 * - `no_reader`: the readers for the file cannot run on this machine.
 * - `binary`: the file is not text, and no reader matches.
 * - `ignored`: `.gitignore` excludes the file, or its name begins with a dot.
 * - `unreadable`: the source cannot use the file, for example because it is a link to a path outside.
 * - `empty`: the file was read, but its document has no chunks.
 */
export type SkipReason = 'no_reader' | 'binary' | 'ignored' | 'unreadable' | 'empty';

export interface JobCounts {
  /** All documents, including failed documents. */
  readonly documents: number;
  readonly failed: number;
  readonly chunks: number;
  /** Number of chunks with more tokens than `chunk_size`. */
  readonly chunks_oversize: number;
  /** Number of texts without a word that the embedding model knows. */
  readonly embedding_empty: number;
  /** Number of texts whose vector comes from the lexical fallback of a model. */
  readonly embedding_fallback: number;
  /** Number of texts that were cut because they are longer than the model's window. */
  readonly embedding_cut: number;
  readonly bytes: number;
  /** Content that readers left out of files: a count for each kind of content. */
  readonly left_out: Readonly<Record<string, number>>;
  /** Number of skipped files for each reason; missing for reasons that did not occur. */
  readonly skipped: { readonly [R in SkipReason]?: number };
}

export const NO_COUNTS: JobCounts = {
  documents: 0,
  failed: 0,
  chunks: 0,
  chunks_oversize: 0,
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
  /** The job's specification. The store does not interpret it. */
  readonly spec: object;
  readonly state: JobState;
  readonly error: Failure | null;
  /** Numbers of `chunk` shards. After the end of a job, some may be neither done nor failed. */
  readonly shards: {
    readonly total: number;
    readonly open: number;
    readonly done: number;
    readonly failed: number;
  };
  /** The totals of finished shards, plus the progress of running ones. */
  readonly counts: JobCounts;
  readonly pruned: number;
  /** Number of documents that pruning left in the sink, because they may still exist. */
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
  /** Detects different requests with the same idempotency key. */
  readonly digest: string;
  readonly idempotencyKey: string | null;
  /** The documents in the request, as text without NUL and lone surrogates; null for other sources. */
  readonly upload: string | null;
  /** Number of failed documents above which the job fails; null means no limit. */
  readonly maxErrors: number | null;
  /** Whether a `notify` shard is added when the job ends. */
  readonly notifies: boolean;
  /** Seconds to keep the job after its end. If the job never ends, the time counts from its creation. */
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

/** A shard taken by a worker. Once the shard has a higher `attempt`, this worker has lost it. */
export interface Claim {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
  readonly range: object;
  readonly attempt: number;
  /** Number of failures of the shard, including lost workers. */
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
  /** Data about the shard for the `finish` shard. */
  readonly output: object | null;
  /** Makes the job fail although its shards are done. Set only by `finish`. */
  readonly failure?: Failure | undefined;
}

/** The result of a shard that is not a `chunk` shard. */
export const NO_DOCUMENTS: ShardResult = { counts: NO_COUNTS, output: null };

export interface SourceInSink {
  readonly sink: string;
  readonly source: string;
}

/** A document that the source no longer has. */
export interface GoneDocument {
  readonly id: string;
  /** Whether the sink also has a document with this id from another source. */
  readonly isElsewhere: boolean;
}

export type PruneCounts = Pick<JobRecord, 'pruned' | 'unpruned'>;

export interface JobLoad {
  readonly shards: Readonly<Record<ShardState, number>>;
  /** Seconds for which the longest waiting shard could have run; 0 if no shard waits. */
  readonly oldestReadySeconds: number;
}

/**
 * Stores jobs and hands out their shards. Only the tables decide which work is done. Every change of a shard
 * names the attempt of its claim, so a worker that was presumed dead cannot change anything. Every method
 * throws `ServiceError` `store_unavailable` if the database cannot be used, after a few retries of temporary
 * failures.
 */
export interface JobStore {
  /** Updates the tables, like `PipelineStore.open`. @throws StoreOpenError */
  open(): Promise<void>;
  /**
   * Stores a job with its plan shard. If a job with this idempotency key and digest exists, returns that job.
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
  /** Lists one page of a job's `chunk` shards in the order of `seq`; empty for an unknown job. */
  shards(
    id: string,
    page: {
      readonly limit: number;
      readonly after?: number | undefined;
      readonly state?: ShardState | undefined;
    },
  ): Promise<ShardPage>;
  /** The documents in the request for the job; null if there are none. @param id of the job */
  upload(id: string): Promise<string | null>;
  /** Cancels a job unless it has ended. @throws ServiceError `job_not_found` */
  cancel(id: string): Promise<JobRecord>;
  /**
   * Reopens the failed and cancelled shards of a `failed` or `cancelled` job. Other shards stay unchanged.
   *
   * @throws ServiceError `job_not_found`, `job_not_over`
   */
  retry(id: string): Promise<JobRecord>;
  /** Removes a job that has ended, with its shards. @throws ServiceError `job_not_found`, `job_not_over` */
  remove(id: string): Promise<void>;
  /** Returns some expired jobs. The caller must remove the files of a job before its record. */
  expired(limit: number): Promise<readonly JobRecord[]>;
  load(): Promise<JobLoad>;

  /**
   * Takes a shard that may run now, with a lease; undefined if there is none. Jobs take turns. A shard that
   * has lost too many workers is not returned but fails, and the next shard is taken.
   *
   * @param worker the name of the worker to show in lists
   */
  claim(worker: string): Promise<Claim | undefined>;
  /** Renews a lease and stores the progress. @returns whether the worker still owns the shard */
  renew(claim: Claim, progress?: ShardProgress): Promise<boolean>;
  /**
   * Adds planned shards and renews the lease of the plan, if the worker still owns the plan. Existing shards
   * stay unchanged.
   *
   * @param from `seq` of the first of `shards`; the first shard of a job has 0
   * @returns whether the worker still owns the plan
   * @throws ServiceError `source_changed` if existing shards differ from the given ones
   */
  addShards(plan: Claim, from: number, shards: readonly PlannedShard[]): Promise<boolean>;
  /**
   * Settles a shard and adds its counts to the job, in one transaction. The last shard opens `finish`, or
   * ends the job. More than `maxErrors` failed documents fail the job and cancel its open shards.
   *
   * @returns true if the worker still owned the shard, or if an earlier call committed this attempt
   */
  commit(claim: Claim, result: ShardResult): Promise<boolean>;
  /**
   * Schedules a retry after a growing pause. After `maxFailures`, the shard fails permanently instead.
   *
   * @param isFinal whether the shard fails permanently now; default: false
   * @returns whether the worker still owned the shard
   */
  fail(claim: Claim, failure: Failure, isFinal?: boolean): Promise<boolean>;
  /** Gives back an unfinished shard, so that it may run at once. Does not count as a failure. */
  giveBack(claim: Claim): Promise<void>;

  /**
   * Records that a shard is about to store documents in a sink. The record remains when the job is removed.
   *
   * @returns those of the ids that another shard of the job stores
   */
  noteStored(
    shard: Pick<Claim, 'jobId' | 'seq'>,
    of: SourceInSink,
    ids: readonly string[],
  ): Promise<readonly string[]>;
  /** Records that these documents of an earlier job still exist, although they failed in this job. */
  noteFailed(jobId: string, of: SourceInSink, ids: readonly string[]): Promise<void>;
  /** Returns some documents that this job and all later jobs lack; empty once all are forgotten. */
  goneDocuments(jobId: string, of: SourceInSink): Promise<readonly GoneDocument[]>;
  countGone(jobId: string, of: SourceInSink): Promise<number>;
  /**
   * Removes the records of documents that no longer exist, and adds `counts` to the counts of the job.
   *
   * @returns whether the worker still owns the shard; if not, nothing changes
   */
  forgetDocuments(
    claim: Claim,
    of: SourceInSink,
    ids: readonly string[],
    counts: PruneCounts,
  ): Promise<boolean>;
}

export interface QueueSettings {
  /** Seconds without a renewal after which another worker may take the shard. */
  readonly leaseSeconds: number;
  /** Number of failures and lost workers after which a shard fails permanently. */
  readonly maxFailures: number;
  /** Seconds before the first retry. Each further retry doubles them. */
  readonly pauseSeconds: number;
}
