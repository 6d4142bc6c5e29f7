import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { DocumentsTask } from '../../engine/tasks.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import type { FieldMapping, Format } from '../shard.ts';
import type { SourceStorage, Storage, StoredFile } from '../storage/storage.ts';

/** The specification of a job: parsed and checked plain data that the database keeps. */
export interface JobSpec {
  readonly source: JobSource;
  readonly task: DocumentsTask;
  /** Members of the request except the documents: options, `include`, `namespace`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What an output line contains: one chunk, or one document with all its chunks. */
  readonly group: 'chunk' | 'document';
  readonly target: JobTarget;
  /**
   * Whether to prune the sink: remove documents that an earlier job with this source has stored and this job
   * does not find. Missing means false.
   */
  readonly prune?: true;
  readonly callback?: string;
}

export interface JobSource {
  /** A file or folder as given by the caller; missing if the request contains the documents. */
  readonly path?: string;
  readonly format: Format | 'auto';
  readonly fields?: FieldMapping;
}

export interface JobTarget {
  readonly path: string;
  readonly format?: 'parquet';
  /** The sink that stores the chunks; without a sink, chunks are written to part files. */
  readonly sink?: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
}

export function unitOf({ task, options }: JobSpec): OffsetUnit {
  const config = task.run === 'chunk' ? options : task.steps.findLast(({ type }) => type === 'chunk')?.config;
  return (config?.offset_unit as OffsetUnit | undefined) ?? 'code_point';
}

export interface SourceLocation {
  readonly storage: SourceStorage;
  readonly from:
    | { readonly path: string }
    | { readonly files: Iterable<StoredFile> | AsyncIterable<StoredFile> };
}

export interface TargetLocation {
  readonly storage: Storage;
  readonly folder: string;
  readonly format?: 'parquet' | undefined;
}

/** Opens the locations of jobs: folders and buckets of a server, or arguments of a command line. */
export interface JobLocations {
  /** @throws ServiceError `path_outside`, `unknown_connection`, `invalid_parameters` */
  source(spec: JobSpec, claim: Pick<Claim, 'jobId'>): Promise<SourceLocation>;
  /** @throws the same errors as `source` */
  target(spec: JobSpec): Promise<TargetLocation>;
}

export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
