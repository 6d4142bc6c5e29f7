import type { PlainError } from '../../../core/errors.ts';

/**
 * A job begins with a plan, runs its shards, and finishes with a manifest. It ends as `done`, `failed` or
 * `cancelled`.
 */
export const JOB_STATES = ['planning', 'running', 'finishing', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const SHARD_STATES = ['ready', 'running', 'done', 'failed', 'cancelled'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/**
 * What a shard is for: `plan` adds the `chunk` shards, each of which chunks a part of the source; `finish` writes the
 * manifest once all of these are settled; `notify` calls back when the job has ended.
 */
export type ShardKind = 'plan' | 'chunk' | 'finish' | 'notify';

export type Failure = Pick<PlainError, 'code' | 'values'>;

/**
 * Why a file gave no chunks although nothing failed: the readers for it cannot run here; it is not text and no reader
 * matches; `.gitignore`, or a name that begins with a dot, excludes it; it cannot be read as a file of the source, such
 * as a link out of it; or it was read and is `empty`, a document without chunks.
 */
export type SkipReason = 'no_reader' | 'binary' | 'ignored' | 'unreadable' | 'empty';

/** The counts of a job, or of a part of it. */
export interface JobCounts {
  /** Failed documents included. */
  readonly documents: number;
  readonly failed: number;
  readonly chunks: number;
  /** Texts with no word that the model knows. */
  readonly embedding_empty: number;
  /** Texts whose vectors are of a model's lexical fallback. */
  readonly embedding_fallback: number;
  /** Texts that are longer than the window of the model. */
  readonly embedding_cut: number;
  /** Bytes of the source. */
  readonly bytes: number;
  /** Content that readers left out of files, by name. */
  readonly left_out: Readonly<Record<string, number>>;
  /** Missing reasons did not occur. */
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
  /** The `chunk` shards; those of a job that has ended may be neither done nor failed. */
  readonly shards: {
    readonly total: number;
    readonly open: number;
    readonly done: number;
    readonly failed: number;
  };
  /** The counts of finished shards, and the progress of running ones. */
  readonly counts: JobCounts;
  /** Documents that were deleted from the sink. */
  readonly pruned: number;
  /** Documents that were kept because they may still exist. */
  readonly unpruned: number;
  /** Bytes of the whole source. */
  readonly bytes_total: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  /** When the job is removed. */
  readonly expires_at: number;
}

export interface NewJob {
  /** UUID in lower case; default a new one. */
  readonly id?: string;
  readonly spec: object;
  /** Distinguishes the requests under one idempotency key. */
  readonly digest: string;
  readonly idempotencyKey: string | null;
  /** The documents of a small source that came in the request: text without NUL and without lone surrogates. */
  readonly upload: string | null;
  /** Maximum failed documents before the job fails; null is any number. */
  readonly maxErrors: number | null;
  /** Whether a `notify` shard is added when the job ends. */
  readonly notifies: boolean;
  /** Seconds that the job is kept after its end; one that does not end, after its start. */
  readonly keepSeconds: number;
}

/** Where a page of jobs begins: after the job with this time and id. */
export type JobPosition = Pick<JobRecord, 'created_at' | 'id'>;

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** Whether there are older jobs. */
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

/** A shard that a worker has taken. A worker with a lower `attempt` has lost it. */
export interface Claim {
  readonly jobId: string;
  readonly seq: number;
  readonly kind: ShardKind;
  readonly range: object;
  readonly attempt: number;
  /** How often it failed, or its worker was lost. */
  readonly failures: number;
  /** The specification of the job. */
  readonly spec: object;
}

export interface PlannedShard {
  readonly range: object;
  readonly bytes: number;
}

/** The counts of a shard in progress. */
export type ShardProgress = Pick<JobCounts, 'documents' | 'failed' | 'chunks' | 'bytes'>;

export interface ShardResult {
  readonly counts: JobCounts;
  /** What the finish needs of the shard. */
  readonly output: object | null;
  /** Fails a job whose shards are done; only for a `finish`. */
  readonly failure?: Failure | undefined;
}

/** The result of a shard that is not `chunk`. */
export const NO_DOCUMENTS: ShardResult = { counts: NO_COUNTS, output: null };

/** Digests of a source of documents, and of a sink with its target options. */
export interface SourceInSink {
  readonly sink: string;
  readonly source: string;
}

/** A document that the source had before. */
export interface GoneDocument {
  readonly id: string;
  /** Whether another source has a document with this id in the same sink. */
  readonly isElsewhere: boolean;
}

export type PruneCounts = Pick<JobRecord, 'pruned' | 'unpruned'>;

/** How busy the workers of all machines are. */
export interface JobLoad {
  readonly shards: Readonly<Record<ShardState, number>>;
  /** Seconds that the oldest waiting shard has been ready; 0 if none waits. */
  readonly oldestReadySeconds: number;
}

/**
 * Stores jobs and hands out their shards. Only its tables decide what is done: every change of a shard names the
 * attempt that it was claimed with, so that a worker that was presumed dead cannot change anything.
 * Every method throws `ServiceError` `store_unavailable` if the database cannot be used, after a few retries if the
 * failure may be temporary.
 */
export interface JobStore {
  /** Updates the tables, as `PipelineStore.open`. @throws StoreOpenError */
  open(): Promise<void>;
  /**
   * Stores a job with its plan shard. The same idempotency key and digest return the existing job.
   *
   * @throws ServiceError `idempotency_key_reused` if the key belongs to a job with another digest
   */
  create(job: NewJob): Promise<{ readonly job: JobRecord; readonly isNew: boolean }>;
  /** @throws ServiceError `job_not_found`, also if the id is not a UUID */
  get(id: string): Promise<JobRecord>;
  /** One page, newest first. */
  list(page: {
    readonly limit: number;
    readonly after?: JobPosition | undefined;
    readonly state?: JobState | undefined;
  }): Promise<JobPage>;
  /** One page of the `chunk` shards of a job, by `seq`; empty for an unknown job. */
  shards(
    id: string,
    page: {
      readonly limit: number;
      readonly after?: number | undefined;
      readonly state?: ShardState | undefined;
    },
  ): Promise<ShardPage>;
  /** The documents that came in the request. @param id of a job */
  upload(id: string): Promise<string | null>;
  /** Cancels a job unless it has ended. @throws ServiceError `job_not_found` */
  cancel(id: string): Promise<JobRecord>;
  /**
   * Reopens the failed and cancelled shards of a job that is `failed` or `cancelled`; the others stay as they are.
   *
   * @throws ServiceError `job_not_found`, `job_not_over`
   */
  retry(id: string): Promise<JobRecord>;
  /** Removes a job that has ended, and its shards. @throws ServiceError `job_not_found`, `job_not_over` */
  remove(id: string): Promise<void>;
  /** Some expired jobs, whose files and then records are to be removed. */
  expired(limit: number): Promise<readonly JobRecord[]>;
  load(): Promise<JobLoad>;

  /**
   * Takes a shard that may run now, with a lease; undefined if there is none. Shards of several jobs take turns. A
   * shard that was lost too often is failed instead, and the next one taken.
   *
   * @param worker the worker's name in lists
   */
  claim(worker: string): Promise<Claim | undefined>;
  /** Renews the lease, and notes the progress, if any. @returns whether the shard still belongs to the worker */
  renew(claim: Claim, progress?: ShardProgress): Promise<boolean>;
  /**
   * Adds shards of a plan, fenced by the plan's own lease, which it renews; existing ones stay.
   *
   * @param from `seq` of the first, from 0
   * @returns whether the plan still belongs to the worker
   * @throws ServiceError `source_changed` if the existing shards differ
   */
  addShards(plan: Claim, from: number, shards: readonly PlannedShard[]): Promise<boolean>;
  /**
   * Settles a shard with its counts in one transaction; the last one opens the `finish`, or ends the job. Counts
   * above `maxErrors` fail the job and cancel its open shards.
   *
   * @returns whether it counted: the shard still belonged to the worker, or this very attempt had been committed
   *   before
   */
  commit(claim: Claim, result: ShardResult): Promise<boolean>;
  /**
   * Lets a shard be retried after a growing pause, or fails it for good when it has no tries left.
   *
   * @param isFinal fails it for good now
   * @returns whether the shard still belonged to the worker
   */
  fail(claim: Claim, failure: Failure, isFinal?: boolean): Promise<boolean>;
  /** Gives back an unfinished shard, at once and without counting a failure. */
  giveBack(claim: Claim): Promise<void>;

  /**
   * Records, for longer than the job, that a shard is about to store documents.
   *
   * @returns the ids that another shard of the job stores
   */
  noteStored(
    shard: Pick<Claim, 'jobId' | 'seq'>,
    of: SourceInSink,
    ids: readonly string[],
  ): Promise<readonly string[]>;
  /** Records that the job has failed documents, if an earlier job has stored them. */
  noteFailed(jobId: string, of: SourceInSink, ids: readonly string[]): Promise<void>;
  /** Some of the documents that this job and later ones do not have; none once all are forgotten. */
  goneDocuments(jobId: string, of: SourceInSink): Promise<readonly GoneDocument[]>;
  /** The number of these documents. */
  countGone(jobId: string, of: SourceInSink): Promise<number>;
  /**
   * Forgets documents that no longer exist, and counts in the job what was pruned.
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
  /** Seconds without a sign of life from its worker after which a shard runs elsewhere. */
  readonly leaseSeconds: number;
  /** How often a shard may fail, or lose its worker. */
  readonly maxFailures: number;
  /** Seconds before the first retry; doubles each time. */
  readonly pauseSeconds: number;
}
