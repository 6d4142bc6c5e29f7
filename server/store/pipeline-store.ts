import type { Log } from '../../core/contracts.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PipelineStep } from '../../core/pipeline.ts';
import type { Config } from '../config.ts';
import { asServiceError, isTransient, StoreOpenError, unavailable } from './failures.ts';
import type { Repository } from './repository.ts';
import { retry } from './retry.ts';

/** A pipeline as it is stored. */
export interface PipelineRecord {
  /** UUID in lower case. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly steps: readonly PipelineStep[];
  /** UTC without zone, with six digits of a second: `2026-01-02T03:04:05.123456`. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Rises by one with every change. */
  readonly version: number;
}

export interface NewPipeline {
  readonly name: string;
  readonly description: string | null;
  readonly steps: readonly PipelineStep[];
}

/** What an update sets; members that are left out stay as they are. */
export type PipelineChanges = Partial<NewPipeline>;

/** The versions that a change may be made to: `*` is any. */
export type Versions = '*' | readonly number[];

/** Where a page begins: after the pipeline with this time and id. */
export interface Place {
  readonly created_at: string;
  readonly id: string;
}

export interface PageRequest {
  /** Most pipelines of the page. */
  readonly limit: number;
  /** The last pipeline of the page before, or nothing for the first page. */
  readonly after?: Place | undefined;
}

export interface Page {
  readonly pipelines: readonly PipelineRecord[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/**
 * Keeps pipelines. What a promise of it has resolved is on disk. Several processes may use one database:
 * no name is given twice and no update is lost.
 *
 * All of it throws `ServiceError` `store_unavailable` where the database cannot be used, after a few
 * tries where that may pass.
 */
export interface PipelineStore {
  /**
   * Opens the database and brings its tables up to date; other calls wait for it, and begin it where
   * nobody has.
   *
   * @throws StoreOpenError
   */
  open(): Promise<void>;
  /** @throws ServiceError `pipeline_name_taken` */
  create(pipeline: NewPipeline): Promise<PipelineRecord>;
  /** One page, newest first. A pipeline that is there all the while is on exactly one page. */
  list(page: PageRequest): Promise<Page>;
  /** @throws ServiceError `pipeline_not_found`, also for what is no UUID */
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
  /** Asks the database for a sign of life. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing of the database's packages is loaded before the store is opened: they cost time and memory. */
export function createPipelineStore(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Log,
): PipelineStore {
  let opening: Promise<Repository> | undefined;
  let isClosed = false;

  return {
    open: async () => void (await opened()),
    create: (pipeline) => run((repository) => repository.create(pipeline)),
    list: (page) => run((repository) => repository.list(page)),
    get: (id) => run((repository) => repository.get(id)),
    update: (id, changes, ifMatch) => run((repository) => repository.update(id, changes, ifMatch)),
    delete: (id, ifMatch) => run((repository) => repository.delete(id, ifMatch)),
    ping: () => run((repository) => repository.ping()),
    async close() {
      isClosed = true;
      const repository = await opening?.catch(() => undefined);
      await repository?.close();
    },
  };

  async function opened(): Promise<Repository> {
    if (isClosed) throw unavailable('the server is stopping');
    opening ??= import('./open-repository.ts').then(({ openRepository }) => openRepository(config, log));
    return opening;
  }

  async function run<T>(work: (repository: Repository) => Promise<T>): Promise<T> {
    try {
      const repository = await opened();
      return await retry(() => work(repository), isTransient);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (error instanceof StoreOpenError) throw unavailable('it could not be opened', error);
      throw asServiceError(error);
    }
  }
}
