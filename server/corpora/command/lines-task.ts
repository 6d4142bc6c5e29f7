import type { JobSpec } from '../jobs/spec.ts';
import type { ShardRange } from '../shard.ts';
import type { EarlierIndex } from './changes.ts';
import type { Report, SkipsReport, Wanted } from './reports.ts';

/** Work for one worker thread: chunks a range for standard output. Plain data. */
export interface LinesTask {
  readonly kind: 'lines';
  readonly range: ShardRange;
  readonly work: LinesWork;
}

/** What is the same for all ranges of a run. */
export interface LinesWork {
  readonly spec: JobSpec;
  /** Absolute path of the folder with the files. */
  readonly folder: string;
  /** Maximum bytes of a document. */
  readonly limit: number;
  /** Whether the run stops at the first document that fails. */
  readonly failFast: boolean;
  readonly wanted: Wanted;
  readonly earlier: EarlierIndex | undefined;
}

/** What a thread sends about a range: that it has begun, a report about its next documents, or about its skips at the end. */
export type LinesMessage =
  | { readonly hasBegun: true }
  | { readonly report: Report }
  | { readonly skips: SkipsReport };
