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
  /** Incremented by every change. */
  readonly version: number;
}

export type NewPipeline = Pick<PipelineRecord, 'name' | 'description' | 'steps'>;

/** What an update sets; missing members stay unchanged. */
export type PipelineChanges = Partial<NewPipeline>;

/** The versions that may be changed: `*` means any. */
export type Versions = '*' | readonly number[];

/** Where a page begins: after the pipeline with this time and id. */
export type PagePosition = Pick<PipelineRecord, 'created_at' | 'id'>;

export interface PageRequest {
  readonly limit: number;
  /** The last pipeline of the previous page, or nothing for the first page. */
  readonly after?: PagePosition | undefined;
  /** Only the pipeline with exactly this name, if there is one. */
  readonly name?: string | undefined;
}

export interface Page {
  readonly pipelines: readonly PipelineRecord[];
  /** Whether there are older pipelines. */
  readonly hasMore: boolean;
}

/**
 * Stores pipelines. When a promise resolves, the change is on disk, unless the store is in memory. Several processes
 * may use one database: no two pipelines have the same name, and no update is lost.
 * Every method throws `ServiceError` `store_unavailable` if the database cannot be used, after a few retries if the
 * failure may be temporary.
 */
export interface PipelineStore {
  /**
   * Opens the database and updates its tables. Other calls wait for that, and start it if necessary.
   *
   * @throws StoreOpenError
   */
  open(): Promise<void>;
  /** @throws ServiceError `pipeline_name_taken` */
  create(pipeline: NewPipeline): Promise<PipelineRecord>;
  /** One page, newest first. A pipeline that exists while all pages are read is on exactly one of them. */
  list(page: PageRequest): Promise<Page>;
  /** @throws ServiceError `pipeline_not_found`, also if the id is not a UUID */
  get(id: string): Promise<PipelineRecord>;
  /**
   * Sets the given members. An update that changes nothing leaves `updated_at` and `version`.
   *
   * @param ifMatch the versions that may be changed
   * @throws ServiceError `pipeline_not_found`, `pipeline_name_taken`, `precondition_failed`
   */
  update(id: string, changes: PipelineChanges, ifMatch?: Versions): Promise<PipelineRecord>;
  /** @throws ServiceError `pipeline_not_found`, `precondition_failed` */
  delete(id: string, ifMatch?: Versions): Promise<void>;
  ping(): Promise<void>;
  /** Whether the database has not answered a call for a minute. */
  isStuck(): boolean;
}

/**
 * Which database it is: SQLite in memory if `store` is `memory`, else PostgreSQL if `databaseUrl` is not empty, else
 * an SQLite file in `dataDir`. An in-memory database ends when it is closed.
 */
export type DatabaseSettings = Pick<Config, 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'store'>>;

export type OpenPipelineStore = Omit<PipelineStore, 'open' | 'isStuck'>;
