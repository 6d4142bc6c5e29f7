import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { DocumentsTask } from '../../engine/tasks.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import type { FieldMapping, Format } from '../shard.ts';
import type { SourceStorage, Storage, StoredFile } from '../storage/storage.ts';

/** What a job does. Plain data, parsed and checked, that the database keeps. */
export interface JobSpec {
  readonly source: JobSource;
  readonly task: DocumentsTask;
  /** The members of a request besides its documents: options, `include`, `namespace`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether a line of the output is a chunk, or has all chunks of a document. */
  readonly group: 'chunk' | 'document';
  readonly target: JobTarget;
  /**
   * Whether to remove documents from the sink that an earlier job with this source has stored and this one no longer
   * finds.
   */
  readonly prune?: true;
  readonly callback?: string;
}

export interface JobSource {
  /** A file or folder as the caller names it; missing if the documents came in the request. */
  readonly path?: string;
  readonly format: Format | 'auto';
  readonly fields?: FieldMapping;
}

export interface JobTarget {
  /** The folder of the part files, the errors and the manifest. */
  readonly path: string;
  /** Format of the part files; default JSON Lines. */
  readonly format?: 'parquet';
  /** A sink that stores the chunks, instead of part files. */
  readonly sink?: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
}

/** The offset unit for the documents of a job: that of its last chunker. */
export function unitOf({ task, options }: JobSpec): OffsetUnit {
  const config = task.run === 'chunk' ? options : task.steps.findLast(({ type }) => type === 'chunk')?.config;
  return (config?.offset_unit as OffsetUnit | undefined) ?? 'code_point';
}

export interface SourceLocation {
  readonly storage: SourceStorage;
  /** A file or folder, or selected files. */
  readonly from: { readonly path: string } | { readonly files: readonly StoredFile[] };
}

export interface TargetLocation {
  readonly storage: Storage;
  /** A folder, without a trailing slash; `''` is the whole storage. */
  readonly folder: string;
  readonly format?: 'parquet' | undefined;
}

/** Opens the locations that jobs name: folders and buckets of a server, or the arguments of a command line. */
export interface JobLocations {
  /** @throws ServiceError `path_outside`, `unknown_connection`, `invalid_parameters` */
  source(spec: JobSpec, claim: Pick<Claim, 'jobId'>): Promise<SourceLocation>;
  /** @throws ServiceError as `source` */
  target(spec: JobSpec): Promise<TargetLocation>;
}

export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
