import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import type { Claim } from '../store/jobs/contract.ts';
import { isCompressed } from './formats/compression.ts';
import type { ShardRange } from './shard.ts';
import type { CorporaSettings } from './storage/settings.ts';

/** Work for one worker thread: chunks a shard of a job into part files. Plain data. */
export interface ShardTask {
  readonly kind: 'shard';
  readonly claim: Claim;
  readonly work: ShardWork;
}

/** What is the same for all shards of a process. */
export interface ShardWork {
  /** How a thread opens the source and the target. */
  readonly locations: LocationsData;
  /** Maximum bytes of a document. */
  readonly limit: number;
  /** For a command with `--since`: its `EarlierIndex`. */
  readonly earlier?: object | undefined;
}

export type LocationsData =
  | { readonly kind: 'server'; readonly settings: CorporaSettings }
  /** The folders of a command: absolute paths. */
  | {
      readonly kind: 'folders';
      readonly source: string;
      readonly target: string;
      readonly format: 'parquet' | undefined;
    };

/** Bytes of documents and chunks that a thread holds at most at a time, in general. */
export const HELD_BYTES = 1_048_576;

/** Maximum bytes of a part that one thread chunks although the part cannot be divided. */
const MAX_UNDIVIDED = 4_194_304;
const USUAL_EXPANSION = 4;

/**
 * Whether one thread should chunk a part alone. A large part that cannot be divided would keep one thread busy
 * while others have nothing to do, so its documents are fed to all threads.
 */
export function isForOneThread({ format, files: [file], part, bytes }: ShardRange): boolean {
  if (format === 'files' || (format === 'jsonl' && part !== undefined)) return true;
  const expansion = file !== undefined && isCompressed(file.name) ? USUAL_EXPANSION : 1;
  return bytes * expansion <= MAX_UNDIVIDED;
}

const LOST: ReadonlySet<ErrorCode> = new Set(['worker_lost', 'out_of_memory']);

/** Whether work failed because its thread was lost. */
export function wasLost(error: unknown): boolean {
  return error instanceof ServiceError && LOST.has(error.code);
}
