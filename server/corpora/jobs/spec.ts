import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { DocumentsTask } from '../../engine/tasks.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import type { FieldMapping, Format } from '../shard.ts';
import type { Storage, StoredFile } from '../storage/storage.ts';

/** What a job does. Plain data that the database keeps, read and checked. */
export interface JobSpec {
  readonly source: JobSource;
  /** What is done with each document. */
  readonly task: DocumentsTask;
  /** The members of a request that are not its documents: options, `include`, `namespace`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether a line of the output has a chunk, or all chunks of a document. */
  readonly group: 'chunk' | 'document';
  readonly target: JobTarget;
  /** Whether documents that an earlier job of this source has stored in the sink, and this one does not find, are removed there. */
  readonly prune?: true;
  /** Where it is told that the job is over. */
  readonly callback?: string;
}

export interface JobSource {
  /** A file or folder as the caller names it; missing if the documents came with the request. */
  readonly path?: string;
  readonly format: Format | 'auto';
  readonly fields?: FieldMapping;
}

export interface JobTarget {
  /** The folder of the part files, the errors and the manifest. */
  readonly path: string;
  /** What the part files are; lines of JSON unless given. */
  readonly format?: 'parquet';
  /** A sink that stores the chunks; there are no part files then. */
  readonly sink?: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
}

/** The unit in which places in the documents of a job are counted: that of its last chunker. */
export function unitOf({ task, options }: JobSpec): OffsetUnit {
  const config = task.run === 'chunk' ? options : task.steps.findLast(({ type }) => type === 'chunk')?.config;
  return (config?.offset_unit as OffsetUnit | undefined) ?? 'code_point';
}

/** Where the documents of a job are. */
export interface SourcePlace {
  readonly storage: Storage;
  /** A file or folder, or files that were chosen. */
  readonly from: { readonly path: string } | { readonly files: AsyncIterable<StoredFile> };
}

/** Where a job writes. */
export interface TargetPlace {
  readonly storage: Storage;
  /** A folder, without a slash at its end; `''` is the whole storage. */
  readonly folder: string;
  /** What the part files are; lines of JSON unless given. */
  readonly format?: 'parquet' | undefined;
}

/** Opens what jobs name: folders and buckets of a server, or what a command line was given. */
export interface JobPlaces {
  /** @throws ServiceError `path_outside`, `unknown_connection`, `invalid_parameters` */
  source(spec: JobSpec, claim: Pick<Claim, 'jobId'>): Promise<SourcePlace>;
  /** @throws ServiceError as `source` */
  target(spec: JobSpec): Promise<TargetPlace>;
}

/** A name in a folder of a storage. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
