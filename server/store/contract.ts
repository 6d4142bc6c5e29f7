import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import type { Config } from '../config/config.ts';

export interface PipelineRecord {
  /** UUID in lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly steps: readonly PipelineStep[];
  /** UTC without a zone, with microseconds: `2026-01-02T03:04:05.123456`. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Starts at 1 and is incremented by every change. */
  readonly version: number;
}

export type NewPipeline = Pick<PipelineRecord, 'name' | 'description' | 'steps'>;

/** The members to change. Missing members stay unchanged. */
export type PipelineChanges = Partial<NewPipeline>;

/** The versions of a pipeline that the caller allows to be changed; `*` means any. */
export type Versions = '*' | readonly number[];

/** A page starts after the pipeline with this time and id. */
export type PagePosition = Pick<PipelineRecord, 'created_at' | 'id'>;

export interface PageRequest {
  readonly limit: number;
  /** The last pipeline of the previous page; undefined for the first page. */
  readonly after?: PagePosition | undefined;
  /** Restricts the list to the pipeline with exactly this name. */
  readonly name?: string | undefined;
}

export interface Page {
  readonly pipelines: readonly PipelineRecord[];
  readonly hasMore: boolean;
}

/**
 * Stores pipelines. When a promise resolves, the change is on disk, unless the store is in memory. Several
 * processes may use one database: names stay unique, and no update is lost. Every method throws `ServiceError`
 * `store_unavailable` if the database cannot be used, after a few retries of temporary failures.
 */
export interface PipelineStore {
  /**
   * Opens the database and updates its tables. Other methods call this if necessary, and wait for it.
   *
   * @throws StoreOpenError
   */
  open(): Promise<void>;
  /** @throws ServiceError `pipeline_name_taken` */
  create(pipeline: NewPipeline): Promise<PipelineRecord>;
  /** Lists one page, newest first. A pipeline that exists throughout a reading of all pages is on exactly one. */
  list(page: PageRequest): Promise<Page>;
  /** @throws ServiceError `pipeline_not_found`, also if the id is not a UUID */
  get(id: string): Promise<PipelineRecord>;
  /**
   * Sets the given members. If no member gets another value, `updated_at` and `version` stay the same.
   *
   * @param ifMatch the versions that may be changed; default: any
   * @throws ServiceError `pipeline_not_found`, `pipeline_name_taken`, `precondition_failed`
   */
  update(id: string, changes: PipelineChanges, ifMatch?: Versions): Promise<PipelineRecord>;
  /** @throws ServiceError `pipeline_not_found`, `precondition_failed` */
  delete(id: string, ifMatch?: Versions): Promise<void>;
  ping(): Promise<void>;
  /** Whether some call has had no answer for a minute. */
  isStuck(): boolean;
}

/**
 * Selects the database: SQLite in memory if `store` is `memory`, otherwise PostgreSQL if `databaseUrl` is not
 * empty, otherwise an SQLite file in `dataDir`. Closing a database in memory deletes its content.
 */
export type DatabaseSettings = Pick<Config, 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'store'>>;

export type OpenPipelineStore = Omit<PipelineStore, 'open' | 'isStuck'>;
