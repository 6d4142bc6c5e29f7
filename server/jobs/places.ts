import type { Storage, StoredFile } from '../corpus/storage.ts';
import type { Claim } from '../store/jobs/contract.ts';
import type { JobSpec } from './spec.ts';

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
